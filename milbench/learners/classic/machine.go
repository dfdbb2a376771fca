package classic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"synpool/internal/spelling"
	"synpool/internal/svm"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// defaultEpsilon is the default half width of the tube of a regression, in standard deviations of the targets.
const defaultEpsilon = 0.1

// SVM has the hyperparameters of support vector machines on whole bags.
type SVM struct {
	C        float64 `json:"c"`
	Balanced bool    `json:"balanced"`          // give both classes, or a class and the rest, the same total weight
	Epsilon  float64 `json:"epsilon,omitempty"` // for real targets: half the width of the tube, in standard deviations of the targets; 0 means 0.1
}

func (s SVM) validate() error { return cmp.Or(above0("c", s.C), atLeast0("epsilon", s.Epsilon)) }

// machines are the support vector machines of a training part, all with the same kernel.
type machines struct {
	support      []int   // training bags that count in at least one machine
	coefficients numbers // [machines, support]
	outputs
}

// fit fits the machines of a training part. Its bags are the given rows of the kernel.
func (s SVM) fit(ctx context.Context, k svm.Kernel, rows []int, t learner.Training) (*machines, error) {
	some, err := svm.Subset(k, rows)
	if err != nil {
		return nil, err
	}
	if t.Kind == mil.ClassTarget { // many fits read the same rows
		some = svm.NewCache(some, svm.DefaultCSVC().CacheBytes/2)
	}
	each, o, err := fitOutputs(t, len(rows), func(positive []bool) ([]float64, float64, error) {
		return solution(fitSome(ctx, some, positive, s.C, svm.DefaultCSVC().Tolerance, s.Balanced))
	}, func(values []float64) ([]float64, float64, error) { return s.regress(ctx, some, values) })
	if err != nil {
		return nil, err
	}
	m := &machines{outputs: o}
	for i := range rows {
		for _, coefficients := range each {
			if coefficients[i] != 0 {
				m.support = append(m.support, i)
				break
			}
		}
	}
	for _, coefficients := range each {
		for _, i := range m.support {
			m.coefficients = append(m.coefficients, coefficients[i])
		}
	}
	return m, nil
}

// regress returns the coefficients and the bias of a regression on the examples of a kernel.
func (s SVM) regress(ctx context.Context, k svm.Kernel, values []float64) ([]float64, float64, error) {
	r := svm.DefaultSVR()
	if r.C, r.Epsilon = s.C, s.Epsilon; s.Epsilon == 0 {
		r.Epsilon = defaultEpsilon
	}
	m, err := r.Fit(ctx, k, values)
	return solution(m, advised(err))
}

// solution returns the coefficients and the bias of a machine, or the error.
func solution(m *svm.Machine, err error) ([]float64, float64, error) {
	if err != nil {
		return nil, 0, err
	}
	return m.Coefficients, m.Bias, nil
}

// fitSome fits a support vector machine to the labelled examples of a kernel. If balanced, both classes have the same total
// weight.
func fitSome(ctx context.Context, k svm.Kernel, positive []bool, c, tolerance float64, balanced bool) (*svm.Machine, error) {
	s := svm.DefaultCSVC()
	s.C, s.Tolerance = c, tolerance
	m, err := s.Fit(ctx, k, positive, weights(positive, balanced))
	return m, advised(err)
}

// fitLinear fits a hyperplane to labelled rows of d values, with weights like [fitSome].
func fitLinear(ctx context.Context, l svm.Linear, values []float64, d int, positive []bool, balanced bool) (*svm.Hyperplane, error) {
	x := svm.Dense{Values: values, N: len(positive), Features: d}
	plane, err := svm.FitLinear(ctx, l, x, positive, weights(positive, balanced))
	return plane, advised(err)
}

// weights returns the weights of examples; nil if all have the same.
func weights(positive []bool, balanced bool) []float64 {
	if !balanced {
		return nil
	}
	return svm.Balanced(positive)
}

// advised adds to the error of a fit what to do about it.
func advised(err error) error {
	switch {
	case errors.Is(err, svm.ErrOneClass):
		return errOneClass
	case errors.Is(err, svm.ErrNotConverged):
		return fmt.Errorf("%w; lower c", err)
	}
	return err
}

// oneOf reports a name that is not in a list.
func oneOf[T ~string](what string, name T, all []T) error {
	if slices.Contains(all, name) {
		return nil
	}
	return fmt.Errorf("%s %q: there is no such %s; %s", what, name, what, spelling.Hint(name, all))
}

// above0 reports a hyperparameter that is not above 0.
func above0(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s %v: more than 0 is needed", name, v)
	}
	return nil
}

// atLeast0 reports a value that is below 0 or not finite.
func atLeast0(name string, values ...float64) error {
	for _, v := range values {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%s %v: 0 or more is needed", name, v)
		}
	}
	return nil
}
