package stats

import (
	"errors"
	"fmt"
	"math"
)

// AverageRanks returns the rank of each method, averaged over all sets. values has one row per set with the figure of
// each method; larger is better. The best in a row has rank 1, and equal figures share the mean of their ranks. Draw
// the result with plotting.CriticalDifference.
func AverageRanks(values [][]float64) ([]float64, error) {
	if err := checkTable(values); err != nil {
		return nil, err
	}
	ranks := make([]float64, len(values[0]))
	for _, row := range values {
		for j, r := range Ranks(row) {
			ranks[j] += float64(len(row)+1) - r // the rank of the largest is 1
		}
	}
	for j := range ranks {
		ranks[j] /= float64(len(values))
	}
	return ranks, nil
}

// checkTable returns an error for rows of unequal length, fewer than two methods, or NaN.
func checkTable(values [][]float64) error {
	if len(values) == 0 {
		return errors.New("no sets to rank methods on")
	}
	if len(values[0]) < 2 {
		return fmt.Errorf("%d methods; ranks need at least 2", len(values[0]))
	}
	for i, row := range values {
		if len(row) != len(values[0]) {
			return fmt.Errorf("set %d has figures of %d methods, set 0 of %d", i, len(row), len(values[0]))
		}
		for j, v := range row {
			if math.IsNaN(v) {
				return fmt.Errorf("the figure of method %d on set %d is NaN", j, i)
			}
		}
	}
	return nil
}
