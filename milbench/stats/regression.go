package stats

import (
	"errors"
	"fmt"
	"math"
)

// checkTargets returns an error unless targets and predictions are finite and equally long.
func checkTargets(targets, predictions []float64) error {
	if len(targets) != len(predictions) {
		return fmt.Errorf("%d targets but %d predictions", len(targets), len(predictions))
	}
	if len(targets) == 0 {
		return errors.New("no targets and no predictions")
	}
	for i := range targets {
		for _, v := range []float64{targets[i], predictions[i]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("target %v and prediction %v at %d; both must be finite", targets[i], predictions[i], i)
			}
		}
	}
	return nil
}

// checkPairs returns an error if x and y differ in length or contain NaN.
func checkPairs(x, y []float64) error {
	if len(x) != len(y) {
		return fmt.Errorf("%d and %d values make no pairs", len(x), len(y))
	}
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			return fmt.Errorf("pair %d holds NaN", i)
		}
	}
	return nil
}

// allEqual reports whether all values are equal.
func allEqual(values []float64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}
