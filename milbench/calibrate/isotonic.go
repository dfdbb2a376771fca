package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Isotonic is an increasing curve: straight lines between points, constant outside them. At the scores that it was
// learnt from it is the increasing function with the smallest sum of squared errors to the labels, found by pooling
// adjacent violators. Bags with equal scores count as one with their mean. Probabilities may be 0 or 1. It equals
// IsotonicRegression(out_of_bounds="clip") of scikit-learn, which also joins scores that differ by less than 1e-15.
//
// Source: M. Ayer, H. D. Brunk, G. M. Ewing, W. T. Reid and E. Silverman, "An empirical distribution function for
// sampling with incomplete information", Annals of Mathematical Statistics 26 (1955).
type Isotonic struct {
	Scores        []float64 `json:"scores"`        // of the points, ascending
	Probabilities []float64 `json:"probabilities"` // at these scores, never descending
}

// Probability returns the probability for a score.
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

// validate returns an error if the points cannot come from this many bags.
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

// fitIsotonic fits a curve by pooling adjacent violators. Its sums are whole numbers, so rounding cannot affect what
// is pooled.
func fitIsotonic(positive []bool, scores []float64) (c Isotonic) {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })

	type block struct {
		low, high   float64 // bounds of the scores
		n, positive int
	}
	rises := func(a, b block) bool { return a.positive*b.n < b.positive*a.n }
	var blocks []block
	for k := 0; k < len(order); {
		score := scores[order[k]] + 0 // turns −0 into 0
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
