package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrOneClass is wrapped by the error returned if a figure is undefined because there is only one class.
var ErrOneClass = errors.New("only one class is there")

// count checks labels and scores and returns the numbers of negatives and positives.
func count(labels []int, scores []float64) (negatives, positives int, err error) {
	if len(labels) != len(scores) {
		return 0, 0, fmt.Errorf("%d labels but %d scores", len(labels), len(scores))
	}
	if len(labels) == 0 {
		return 0, 0, errors.New("no labels and no scores")
	}
	for i, y := range labels {
		if y != 0 && y != 1 {
			return 0, 0, fmt.Errorf("label %d at %d; labels are 0 or 1", y, i)
		}
		if math.IsNaN(scores[i]) {
			return 0, 0, fmt.Errorf("score at %d is NaN", i)
		}
		positives += y
	}
	return len(labels) - positives, positives, nil
}

// countBoth is [count] for figures that need both classes.
func countBoth(labels []int, scores []float64) (negatives, positives int, err error) {
	negatives, positives, err = count(labels, scores)
	if err == nil && (negatives == 0 || positives == 0) {
		err = fmt.Errorf("%w: %d negative and %d positive", ErrOneClass, negatives, positives)
	}
	return negatives, positives, err
}

// ascending returns the indices of values, the smallest value first.
func ascending(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// Ranks returns the rank of every value, from 1 for the smallest; equal values share the mean of their ranks.
func Ranks(values []float64) []float64 {
	order := ascending(values)
	ranks := make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i + 1
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+1+j) / 2
		}
		i = j
	}
	return ranks
}
