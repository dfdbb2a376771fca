package sequence

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Beam is a beam search for the likeliest sentence, word by word: from all continuations of the current Width hypotheses it
// keeps the best Width. It stops when Width hypotheses have ended and none that goes on has a better score. Width 1 is greedy
// search.
type Beam struct {
	Width     int
	MaxLength int     // most words per sentence, including the end
	Penalty   float64 // length penalty: finished hypotheses are compared by log-probability / length^Penalty; 0 for none
	Begin     int32   // word that precedes the first word
	End       int32   // word that ends a sentence
}

// Hypothesis is a sentence that a search found.
type Hypothesis struct {
	Words      []int32     // without Begin and End
	Ended      bool        // false if MaxLength cut it off
	LogProb    float64     // of the words and, if it ended, of End
	Alignments [][]float64 // attention weights of the source words, for each word and for End; nil without attention
}

// score returns the score of a hypothesis; larger is better.
func (b Beam) score(h Hypothesis) float64 {
	length := len(h.Words)
	if h.Ended {
		length++
	}
	return h.LogProb / math.Pow(float64(length), b.Penalty)
}

// continuations are the best next words of a hypothesis, best first, with their log-probabilities. There must be at least as
// many as the width of the beam, or all words if there are fewer.
type continuations struct {
	words     []int32
	logProbs  []float64 // of each word
	alignment []float64 // nil without attention
}

// search returns the best hypothesis for each of the given number of sentences. It keeps Width consecutive rows per sentence
// and calls next for all rows at once. For each row, parents has the row of the previous call that it continues (parents is
// nil in the first call) and words has its last word; next returns the continuations of each row. Some rows have no
// hypothesis: in the first call all except the first of each sentence, later those whose hypothesis ended. They come with
// parent 0 and the word End, and next must answer them too.
func (b Beam) search(sentences int, next func(parents, words []int32) ([]continuations, error)) ([]Hypothesis, error) {
	if sentences < 1 || b.Width < 1 || b.MaxLength < 1 || math.IsNaN(b.Penalty) {
		return nil, fmt.Errorf("sequence: a beam search of %d sentences with width %d, length %d and penalty %g; the first three are 1 or more", sentences, b.Width, b.MaxLength, b.Penalty)
	}
	rows := sentences * b.Width
	live := make([][]Hypothesis, sentences) // at most Width per sentence; hypothesis i is in row i of its sentence
	ended := make([][]Hypothesis, sentences)
	for s := range live {
		live[s] = []Hypothesis{{}}
	}
	words := slices.Repeat([]int32{b.Begin}, rows)
	var parents []int32
	for range b.MaxLength {
		rest, err := next(parents, words)
		if err != nil {
			return nil, err
		}
		parents, words = make([]int32, rows), slices.Repeat([]int32{b.End}, rows)
		going := false
		for s := range live {
			live[s] = b.extend(s, live[s], &ended[s], rest, parents, words)
			going = going || len(live[s]) > 0
		}
		if !going {
			break
		}
	}
	best := make([]Hypothesis, sentences)
	for s := range best {
		from := ended[s]
		if len(from) == 0 {
			from = live[s]
		}
		if len(from) == 0 {
			return nil, fmt.Errorf("sequence: sentence %d has no continuation with a probability", s)
		}
		best[s] = slices.MaxFunc(from, func(x, y Hypothesis) int { return cmp.Compare(b.score(x), b.score(y)) })
	}
	return best, nil
}

// extend returns the best continuations of a sentence's hypotheses that have not ended, appends the others to ended, and
// records the parent and last word of each row.
func (b Beam) extend(sentence int, live []Hypothesis, ended *[]Hypothesis, rest []continuations, parents, words []int32) []Hypothesis {
	type candidate struct {
		parent  int
		word    int32
		logProb float64
	}
	var candidates []candidate
	first := sentence * b.Width
	for i, h := range live {
		c := rest[first+i]
		for k := range min(b.Width, len(c.words)) {
			if p := h.LogProb + c.logProbs[k]; !math.IsNaN(p) && !math.IsInf(p, 0) {
				candidates = append(candidates, candidate{i, c.words[k], p})
			}
		}
	}
	slices.SortStableFunc(candidates, func(x, y candidate) int { return cmp.Compare(y.logProb, x.logProb) })
	var next []Hypothesis
	for _, c := range candidates[:min(b.Width, len(candidates))] {
		h := live[c.parent]
		h.LogProb = c.logProb
		if alignment := rest[first+c.parent].alignment; alignment != nil {
			h.Alignments = append(slices.Clip(h.Alignments), alignment)
		}
		if c.word == b.End {
			h.Ended = true
			*ended = append(*ended, h)
			continue
		}
		h.Words = append(slices.Clip(h.Words), c.word)
		parents[first+len(next)], words[first+len(next)] = int32(first+c.parent), c.word
		next = append(next, h)
	}
	settles := func(h Hypothesis) bool { return len(next) == 0 || b.score(h) >= b.score(next[0]) }
	if len(*ended) >= b.Width && slices.ContainsFunc(*ended, settles) {
		return nil
	}
	return next
}
