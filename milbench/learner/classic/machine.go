package classic

import (
	"context"
	"errors"
	"fmt"
	"math"

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

// fitMachine fits a support vector machine to the examples rows of a kernel. Where it is balanced both classes weigh the same.
func fitMachine(ctx context.Context, k svm.Kernel, rows []int, t milbench.Training, c float64, balanced bool) (*svm.Machine, error) {
	some, err := svm.Subset(k, rows)
	if err != nil {
		return nil, err
	}
	positive := positives(t)
	var weights []float64
	if balanced {
		weights = svm.Balanced(positive)
	}
	s := svm.DefaultCSVC()
	s.C = c
	m, err := s.Fit(ctx, some, positive, weights)
	switch {
	case errors.Is(err, svm.ErrOneClass):
		return nil, errOneClass
	case errors.Is(err, svm.ErrNotConverged):
		return nil, fmt.Errorf("%w; lower c", err)
	}
	return m, err
}

// errOneClass is the error about a training part of one class.
var errOneClass = errors.New("the training part has bags of one class; both are needed")

// check reports a hyperparameter that is not above 0.
func above0(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s %v: more than 0 is needed", name, v)
	}
	return nil
}
