package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Isotonic is a curve that rises: lines between points, and level outside of them. At the scores that it was learnt from it is the rising
// function with the smallest sum of squared errors to the labels, found by pooling adjacent violators; bags of one score count as one of
// their mean. It is IsotonicRegression(out_of_bounds="clip") of scikit-learn, which also joins scores that differ by less than 1e-15.
//
// A probability may be 0 or 1.
//
// Source: M. Ayer, H. D. Brunk, G. M. Ewing, W. T. Reid and E. Silverman, "An empirical distribution function for sampling with incomplete
// information", Annals of Mathematical Statistics 26 (1955).
type Isotonic struct {
	Scores        []float64 `json:"scores"`        // of the points; they ascend
	Probabilities []float64 `json:"probabilities"` // at them; they do not descend
}

// Probability returns the probability of a score.
func (c Isotonic) Probability(score float64) float64 {
	k, found := slices.BinarySearch(c.Scores, score)
	switch {
	case found || k == 0:
		return c.Probabilities[k]
	case k == len(c.Scores):
		return c.Probabilities[k-1]
	}
	low, high := c.Probabilities[k-1], c.Probabilities[k]
	return low + (high-low)*((score-c.Scores[k-1])/(c.Scores[k]-c.Scores[k-1]))
}

// validate reports points that so many bags cannot give.
func (c Isotonic) validate(bags int) error {
	if n := len(c.Scores); n == 0 || n > bags || n != len(c.Probabilities) {
		return fmt.Errorf("%d scores and %d probabilities of %d bags", n, len(c.Probabilities), bags)
	}
	for k, s := range c.Scores {
		switch p := c.Probabilities[k]; {
		case !(math.Abs(s) <= maxScore) || k > 0 && s <= c.Scores[k-1]:
			return fmt.Errorf("score %v at %d does not ascend", s, k)
		case !(p >= 0 && p <= 1) || k > 0 && p < c.Probabilities[k-1]:
			return fmt.Errorf("probability %v at %d does not ascend from 0 to 1", p, k)
		}
	}
	return nil
}

// fitIsotonic learns a curve by pooling adjacent violators. Sums are of whole numbers, so that no rounding decides what is pooled.
func fitIsotonic(positive []bool, scores []float64) (c Isotonic) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })

	type block struct {
		low, high   float64 // scores
		n, positive int
	}
	rises := func(a, b block) bool { return a.positive*b.n < b.positive*a.n }
	var blocks []block
	for k := 0; k < len(order); {
		score := scores[order[k]] + 0 // −0 is 0
		next := block{low: score, high: score}
		for ; k < len(order) && scores[order[k]] == score; k++ {
			next.n++
			if positive[order[k]] {
				next.positive++
			}
		}
		for len(blocks) > 0 && !rises(blocks[len(blocks)-1], next) {
			last := blocks[len(blocks)-1]
			next = block{last.low, next.high, last.n + next.n, last.positive + next.positive}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, next)
	}
	for _, b := range blocks {
		p := float64(b.positive) / float64(b.n)
		c.Scores, c.Probabilities = append(c.Scores, b.low), append(c.Probabilities, p)
		if b.high > b.low {
			c.Scores, c.Probabilities = append(c.Scores, b.high), append(c.Probabilities, p)
		}
	}
	return c
}
