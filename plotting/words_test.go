package plotting

import (
	"math"
	"strings"
	"testing"
)

// document is a short text with made-up weights.
func document() []Sentence {
	var out []Sentence
	for i, line := range []string{
		"the bread was warm and the soup excellent .",
		"we sat for almost an hour before somebody came to our table , which would have been a reason to leave .",
		"friendly people .",
		"parking is easy behind the house .",
		"we will certainly come again !",
	} {
		s := Sentence{Words: strings.Fields(line), Weight: []float64{0.38, 0.27, 0.16, 0.05, 0.14}[i]}
		total := 0.0
		for _, w := range s.Words {
			s.Weights = append(s.Weights, float64(len(w)*len(w)))
			total += float64(len(w) * len(w))
		}
		for j := range s.Weights {
			s.Weights[j] /= total
		}
		out = append(out, s)
	}
	return out
}

func TestWordShares(t *testing.T) {
	golden(t, "wordshares.svg")(WordShares("What a network reads", document()))
	for name, sentences := range map[string][]Sentence{
		"one word":    {{Words: []string{"yes"}, Weights: []float64{1}}},
		"zero":        {{Words: []string{"no", "weight"}, Weights: []float64{0, 0}}},
		"small":       {{Words: []string{"a", "b"}, Weights: []float64{1e-40, 1e-41}, Weight: 1e-30}},
		"long word":   {{Words: []string{"a", solid, "b"}, Weights: []float64{0.1, 0.8, 0.1}, Weight: 1}},
		"long":        {{Words: wordsOf(1500), Weights: same(1500, 1.0/1500)}},
		"odd letters": {{Words: []string{"<script>alert(1)</script>", odd, "γ"}, Weights: []float64{0.5, 0.2, 0.3}}},
		"twelve":      append(append(document(), document()...), document()[:2]...),
	} {
		fits(t, name)(WordShares("Title", sentences))
	}
	good := Sentence{Words: []string{"a"}, Weights: []float64{1}}
	for want, sentences := range map[string][]Sentence{
		"drawing shares of words: there are no sentences": nil,
		"sentence 2: there are no words":                  {good, {}},
		"sentence 1: 1 words but 2 weights":               {{Words: []string{"a"}, Weights: []float64{1, 2}}},
		"sentence 1: word 2: 1.5 is no share":             {{Words: []string{"a", "b"}, Weights: []float64{0, 1.5}}},
		"sentence 1: word 1: NaN is no share":             {{Words: []string{"a"}, Weights: []float64{math.NaN()}}},
		"sentence 2: word 1 is blank":                     {good, {Words: []string{" \n"}, Weights: []float64{1}}},
		"sentence 1: 2 is no share":                       {{Words: []string{"a"}, Weights: []float64{1}, Weight: 2}},
		"1501 words; at most 1500 fit in a figure; draw ": {{Words: wordsOf(1501), Weights: same(1501, 0)}},
	} {
		refused(t, want)(WordShares("", sentences))
	}
}

func TestPlace(t *testing.T) {
	s := document()[1]
	const width = 200
	line, x := 0.0, 0.0
	for i, w := range place(s, width) {
		if w.label != s.Words[i] || w.weight != s.Weights[i] {
			t.Errorf("word %d is %q with %v", i+1, w.label, w.weight)
		}
		if float64(w.x+w.width) > width {
			t.Errorf("%q reaches to %v", w.label, w.x+w.width)
		}
		switch {
		case float64(w.line) == line+float64(linePitch) && w.x == 0:
			line = float64(w.line)
		case float64(w.line) != line || float64(w.x) < x && i > 0:
			t.Errorf("%q stands at %v in line %v", w.label, w.x, w.line)
		}
		x = float64(w.x)
	}
	if line < float64(linePitch) {
		t.Error("nothing was wrapped")
	}
}
