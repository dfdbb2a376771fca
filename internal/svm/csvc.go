package svm

import (
	"context"
	"fmt"
)

// CSVC is a support-vector classifier with hinge loss and a kernel. Fit finds the coefficients β that minimise
//
//	½ Σ_ij β_i β_j k(x_i, x_j) - Σ_i |β_i|,  Σ_i β_i = 0,  0 ≤ β_i y_i ≤ C_i,
//
// by sequential minimal optimisation: each iteration moves two coefficients, chosen with second-order information.
//
// With a kernel that is not positive semidefinite it finds a stationary point, which may depend on the order of the examples.
//
// Source: R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for training support
// vector machines", JMLR 6 (2005), WSS 3; as in LIBSVM, with the same stopping criterion and bias.
type CSVC struct {
	C             float64 // cost of an example of weight 1
	Tolerance     float64 // largest violation allowed, in units of decision values
	MaxIterations int
	CacheBytes    int64 // cache for rows of a kernel that is neither a [Matrix] nor a [Cache]
}

// DefaultCSVC returns C = 1, LIBSVM's tolerance and maximum number of iterations, and a cache of 256 MiB.
func DefaultCSVC() CSVC {
	return CSVC{C: 1, Tolerance: 1e-3, MaxIterations: 10_000_000, CacheBytes: 256 << 20}
}

// Fit fits a classifier to the examples of k with labels positive[n] and weights[n]; nil weights are all 1.
//
// It returns an error if the numbers of examples differ, a setting or weight is out of range, or a value that it reads is
// not finite (it reads the diagonal and the rows of the examples whose coefficients it changes). Other errors are that of
// ctx, [ErrOneClass] and [ErrNotConverged].
func (s CSVC) Fit(ctx context.Context, k Kernel, positive []bool, weights []float64) (*Machine, error) {
	n := k.Len()
	if len(positive) != n {
		return nil, fmt.Errorf("svm: %d labels for a kernel of %d examples", len(positive), n)
	}
	d, err := s.dual(positive, weights)
	if err != nil {
		return nil, err
	}
	m, err := d.solve(ctx, k, s.Tolerance, s.MaxIterations, s.CacheBytes)
	return m.negated(), err
}

// dual returns the problem of the classifier, with all labels negated: LIBSVM's first class is +1, and scikit-learn's first
// class is the negative one. So ties, and the path for an indefinite kernel, are the same as theirs.
func (s CSVC) dual(positive []bool, weights []float64) (dual, error) {
	cost, err := costs(s.C, len(positive), weights)
	if err != nil {
		return dual{}, err
	}
	if err := bothClasses(cost, positive); err != nil {
		return dual{}, err
	}
	d := newDual(len(positive))
	for i, label := range positive {
		y := -sign(label)
		d.target[i], d.lowest[i], d.most[i] = y, min(0, y*cost[i]), max(0, y*cost[i])
	}
	return d, nil
}

// negated returns the machine whose decision values are the negatives; m may be nil.
func (m *Machine) negated() *Machine {
	if m == nil {
		return nil
	}
	for i, b := range m.Coefficients {
		if b != 0 {
			m.Coefficients[i] = -b
		}
	}
	m.Bias = -m.Bias
	return m
}
