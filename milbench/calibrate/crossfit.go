package calibrate

import (
	"errors"
	"fmt"
)

// CrossFit returns the probability of each bag from a calibration learnt on the bags of other folds. It lets you
// evaluate a calibration on bags that it has not seen. fold has the fold number of each bag. There must be at least
// two folds, and the rest of each fold must have bags of every class ([ErrOneClass]). Other arguments are as in
// [Fit].
func CrossFit(method Method, classes int, labels []int, scores [][]float64, fold []int) ([][]float64, error) {
	if err := check(classes, labels, scores); err != nil {
		return nil, err
	}
	if len(fold) != len(labels) {
		return nil, fmt.Errorf("%d labels and folds of %d bags", len(labels), len(fold))
	}
	all := make([][]float64, len(labels))
	for i, f := range fold {
		if all[i] != nil {
			continue
		}
		var restLabels []int
		var rest [][]float64
		for j, g := range fold {
			if g != f {
				restLabels, rest = append(restLabels, labels[j]), append(rest, scores[j])
			}
		}
		if len(rest) == 0 {
			return nil, errors.New("one fold; at least two are needed")
		}
		c, err := Fit(method, classes, restLabels, rest)
		if err != nil {
			return nil, fmt.Errorf("without fold %d: %w", f, err)
		}
		for j, g := range fold {
			if g != f {
				continue
			}
			if all[j], err = c.Probabilities(scores[j]); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
