package sequence

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// chain is a language model of a few words: the next word depends on the sentence so far.
type chain struct {
	vocabulary int
	seed       uint64
}

// logProbs of the next word after a sentence.
func (c chain) logProbs(sentence []int32) []float64 {
	hash := c.seed
	for _, w := range sentence {
		hash = hash*31 + uint64(w) + 7
	}
	rng := rand.New(rand.NewPCG(hash, 5))
	p, sum := make([]float64, c.vocabulary), 0.0
	for i := range p {
		p[i] = math.Exp(2 * rng.NormFloat64())
		sum += p[i]
	}
	for i := range p {
		p[i] = math.Log(p[i] / sum)
	}
	return p
}

// search searches in a batch of chains.
func search(b Beam, chains []chain) ([]Hypothesis, error) {
	rows := len(chains) * b.Width
	texts := make([][]int32, rows)
	return b.search(len(chains), func(parents, words []int32) ([]continuations, error) {
		rest := make([]continuations, rows)
		next := make([][]int32, rows)
		for i, w := range words {
			if parents != nil {
				next[i] = append(slices.Clone(texts[parents[i]]), w)
			}
			p := chains[i/b.Width].logProbs(next[i])
			order := make([]int32, len(p))
			for j := range order {
				order[j] = int32(j)
			}
			slices.SortStableFunc(order, func(x, y int32) int {
				if p[x] > p[y] {
					return -1
				}
				return 1
			})
			for _, w := range order {
				rest[i].words, rest[i].logProbs = append(rest[i].words, w), append(rest[i].logProbs, p[w])
			}
			rest[i].alignment = []float64{float64(len(next[i]))}
		}
		texts = next
		return rest, nil
	})
}

// likeliest returns the best of all sentences of up to length words that end with word 0, by log-probability /
// length^penalty.
func (c chain) likeliest(length int, penalty float64) (best []int32, logProb float64) {
	score := math.Inf(-1)
	var visit func(sentence []int32, sum float64)
	visit = func(sentence []int32, sum float64) {
		if len(sentence) == length {
			return
		}
		for w, p := range c.logProbs(sentence) {
			if w != 0 {
				visit(append(slices.Clip(sentence), int32(w)), sum+p)
			} else if s := (sum + p) / math.Pow(float64(len(sentence)+1), penalty); s > score {
				score, best, logProb = s, slices.Clone(sentence), sum+p
			}
		}
	}
	visit(nil, 0)
	return best, logProb
}

// TestBeam: a beam that drops nothing finds the likeliest of all sentences, and one of width 1 goes greedily.
func TestBeam(t *testing.T) {
	chains := []chain{{3, 1}, {3, 2}, {3, 3}, {3, 4}}
	const length = 4
	for _, penalty := range []float64{0, 0.7} {
		found, err := search(Beam{Width: 81, MaxLength: length, Penalty: penalty, Begin: 9}, chains)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range chains {
			words, logProb := c.likeliest(length, penalty)
			h := found[i]
			if !h.Ended || !slices.Equal(h.Words, words) || math.Abs(h.LogProb-logProb) > 1e-12 {
				t.Errorf("penalty %g, chain %d: %v with %g, want %v with %g", penalty, i, h.Words, h.LogProb, words, logProb)
			}
			for j, a := range h.Alignments {
				if a[0] != float64(j) {
					t.Errorf("alignment %d is that of step %g", j, a[0])
				}
			}
			if len(h.Alignments) != len(h.Words)+1 {
				t.Errorf("%d alignments of %d words and an end", len(h.Alignments), len(h.Words))
			}
		}
	}
	greedy, err := search(Beam{Width: 1, MaxLength: length, Begin: 9}, chains)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range chains {
		var words []int32
		ended := false
		for !ended && len(words) < length {
			p := c.logProbs(words)
			best := int32(slices.Index(p, slices.Max(p)))
			if ended = best == 0; !ended {
				words = append(words, best)
			}
		}
		if h := greedy[i]; h.Ended != ended || !slices.Equal(h.Words, words) {
			t.Errorf("greedy, chain %d: %v, ended %t, want %v, %t", i, h.Words, h.Ended, words, ended)
		}
	}
}

// TestBeamGoesOn: sentences of little probability that end early do not stop a search whose best sentence goes on.
func TestBeamGoesOn(t *testing.T) {
	const length = 6
	for width := 1; width <= 4; width++ {
		step := 0
		found, err := (Beam{Width: width, MaxLength: length + 1, Penalty: 1, Begin: 9}).search(1, func(_, _ []int32) ([]continuations, error) {
			c := continuations{words: []int32{1, 0, 2, 3}, logProbs: []float64{math.Log(0.97), math.Log(0.01), math.Log(0.01), math.Log(0.01)}}
			if step == length {
				c.words[0], c.words[1] = 0, 1
			}
			step++
			return slices.Repeat([]continuations{c}, width), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		words, logProb := slices.Repeat([]int32{1}, length), (length+1)*math.Log(0.97)
		if h := found[0]; !slices.Equal(h.Words, words) || math.Abs(h.LogProb-logProb) > 1e-12 {
			t.Errorf("width %d: %v with %g, want %v with %g", width, h.Words, h.LogProb, words, logProb)
		}
	}
}

func TestBeamErrors(t *testing.T) {
	broken := errors.New("broken")
	good := Beam{Width: 2, MaxLength: 3}
	for what, c := range map[string]struct {
		beam      Beam
		sentences int
		next      func(parents, words []int32) ([]continuations, error)
	}{
		"width":     {Beam{MaxLength: 3}, 1, nil},
		"length":    {Beam{Width: 1}, 1, nil},
		"sentences": {good, 0, nil},
		"penalty":   {Beam{Width: 1, MaxLength: 1, Penalty: math.NaN()}, 1, nil},
		"next":      {good, 1, func(_, _ []int32) ([]continuations, error) { return nil, broken }},
		"nothing":   {good, 1, func(_, _ []int32) ([]continuations, error) { return make([]continuations, 2), nil }},
		"no number": {good, 1, func(_, _ []int32) ([]continuations, error) {
			c := continuations{words: []int32{1, 2}, logProbs: []float64{math.NaN(), math.Inf(-1)}}
			return []continuations{c, c}, nil
		}},
	} {
		_, err := c.beam.search(c.sentences, c.next)
		if what == "next" && errors.Is(err, broken) {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "sequence: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
