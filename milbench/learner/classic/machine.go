package classic

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"synpool/internal/svm"
	"synpool/milbench"
)

// positives returns which of the training bags are positive.
func positives(t milbench.Training) []bool {
	list := make([]bool, len(t.Targets))
	for i, target := range t.Targets {
		list[i] = target.Label == 1
	}
	return list
}

// fitMachine fits a support vector machine to the bags rows of a kernel. Where it is balanced both classes weigh the same.
func fitMachine(ctx context.Context, k svm.Kernel, rows []int, t milbench.Training, c float64, balanced bool) (*svm.Machine, error) {
	return fitExamples(ctx, k, rows, positives(t), c, svm.DefaultCSVC().Tolerance, balanced)
}

// fitExamples fits a support vector machine to the examples rows of a kernel, with their labels. Where it is balanced both classes
// weigh the same.
func fitExamples(ctx context.Context, k svm.Kernel, rows []int, positive []bool, c, tolerance float64, balanced bool) (*svm.Machine, error) {
	some, err := svm.Subset(k, rows)
	if err != nil {
		return nil, err
	}
	var weights []float64
	if balanced {
		weights = svm.Balanced(positive)
	}
	s := svm.DefaultCSVC()
	s.C, s.Tolerance = c, tolerance
	m, err := s.Fit(ctx, some, positive, weights)
	switch {
	case errors.Is(err, svm.ErrOneClass):
		return nil, errOneClass
	case errors.Is(err, svm.ErrNotConverged):
		return nil, fmt.Errorf("%w; lower c", err)
	}
	return m, err
}

// share returns what fits share with that of a training part of a binary target, and where its bags stand there. It reports a
// training part that is malformed or of one class before anything is computed.
func share(t milbench.Training) (*milbench.Shared, []int, error) {
	if t.Kind != milbench.BinaryTarget {
		return nil, nil, fmt.Errorf("targets of kind %v; binary ones are needed", t.Kind)
	}
	s, rows, err := t.Share()
	if err != nil {
		return nil, nil, err
	}
	if positive := positives(t); !slices.Contains(positive, true) || !slices.Contains(positive, false) {
		return nil, nil, errOneClass
	}
	return s, rows, nil
}

// errOneClass is the error about a training part of one class.
var errOneClass = errors.New("the training part has bags of one class; both are needed")

// above0 reports a hyperparameter that is not above 0.
func above0(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s %v: more than 0 is needed", name, v)
	}
	return nil
}

// above0All reports a value of several that is not above 0.
func above0All(name string, values []float64) error {
	for _, v := range values {
		if err := above0(name, v); err != nil {
			return err
		}
	}
	return nil
}
