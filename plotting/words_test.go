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

// oddSentences are what must be drawn and written.
func oddSentences() map[string][]Sentence {
	long := Sentence{Words: wordsOf(1500), Weights: same(1500, 1.0/1500)}
	return map[string][]Sentence{
		"one word":    {{Words: []string{"yes"}, Weights: []float64{1}}},
		"zero":        {{Words: []string{"no", "weight"}, Weights: []float64{0, 0}}},
		"huge":        {{Words: []string{"a", "b"}, Weights: []float64{1e99, 1e98}, Weight: 1e99}},
		"small":       {{Words: []string{"a", "b"}, Weights: []float64{1e-40, 1e-41}, Weight: 1e-30}},
		"long word":   {{Words: []string{"a", strings.Repeat("verylong", 40), "b"}, Weights: []float64{0.1, 0.8, 0.1}, Weight: 1}},
		"long":        {long},
		"odd letters": {{Words: []string{"<script>alert(1)</script>", "\x00\xff", "日本", "γ", "\"'&"}, Weights: []float64{0.5, 0.2, 0.1, 0.1, 0.1}}},
		"twelve":      append(append(document(), document()...), document()[:2]...),
	}
}

func TestWords(t *testing.T) {
	f, err := Words("What makes a review positive", document())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "words.svg")
	framed(t, "golden", f)
}

func TestWordsFit(t *testing.T) {
	for name, sentences := range oddSentences() {
		f, err := Words("Title", sentences)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
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

func TestWordsRefuses(t *testing.T) {
	for want, sentences := range wordsRefused() {
		refused(t, "drawing words: "+want)(Words("", sentences))
	}
	long := Sentence{Words: wordsOf(1501), Weights: same(1501, 0)}
	refused(t, "1501 words; at most 1500 fit in a figure; draw fewer sentences")(Words("", []Sentence{long}))
}

func wordsRefused() map[string][]Sentence {
	good := Sentence{Words: []string{"a"}, Weights: []float64{1}}
	return map[string][]Sentence{
		"there are no sentences":             nil,
		"sentence 2 has no words":            {good, {}},
		"sentence 1: 1 words but 2 weights":  {{Words: []string{"a"}, Weights: []float64{1, 2}}},
		"sentence 1, word 1: NaN is not":     {{Words: []string{"a"}, Weights: []float64{math.NaN()}}},
		"sentence 1, word 1: -1 is negative": {{Words: []string{"a"}, Weights: []float64{-1}}},
		"sentence 1: +Inf is not":            {{Words: []string{"a"}, Weights: []float64{1}, Weight: math.Inf(1)}},
		"sentence 2, word 1 is blank":        {good, {Words: []string{" \n"}, Weights: []float64{1}}},
		"sentence 2: -0.5 is negative":       {good, {Words: []string{"a"}, Weights: []float64{1}, Weight: -0.5}},
	}
}
