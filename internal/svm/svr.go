package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// SVR is a support-vector regression with a kernel: its decision values f(x) are the predictions. With the dual variables
// α_i and α*_i of example i and β_i = α_i - α*_i, Fit minimises
//
//	½ Σ_ij β_i β_j k(x_i, x_j) + ε Σ_i (α_i + α*_i) - Σ_i β_i y_i,  Σ_i β_i = 0,  0 ≤ α_i, α*_i ≤ C.
//
// This is the dual of minimising ½ |w|² + C Σ_i max(0, |y_i - f(x_i)| - ε). Each iteration changes two of the 2n
// variables, as in [CSVC].
//
// Source: A. J. Smola, B. Schölkopf, "A tutorial on support vector regression", Statistics and Computing 14 (2004),
// equations (3) to (10); solved as in LIBSVM (C.-C. Chang, C.-J. Lin, "LIBSVM: a library for support vector machines", ACM
// TIST 2 (2011), section 4.1.4), with the same stopping criterion and bias.
type SVR struct {
	C             float64 // cost of an example whose target is one unit outside the tube
	Epsilon       float64 // ε, half the width of the tube, in units of the targets; at least 0
	Tolerance     float64 // largest violation allowed, in units of the targets
	MaxIterations int
	CacheBytes    int64 // cache for rows of a kernel that is neither a [Matrix] nor a [Cache]
}

// DefaultSVR returns C = 1 and ε = 0.1, like LIBSVM and scikit-learn, and the limits of [DefaultCSVC].
func DefaultSVR() SVR {
	c := DefaultCSVC()
	return SVR{C: c.C, Epsilon: 0.1, Tolerance: c.Tolerance, MaxIterations: c.MaxIterations, CacheBytes: c.CacheBytes}
}

// Fit fits a regression to the examples of k with targets[n]. If all targets are in one tube, no example is a support
// vector, and the bias is halfway between the smallest and the largest target.
//
// It returns an error if the numbers of examples differ or are 0, a setting or target is out of range, or a value that it
// reads is not finite (it reads the diagonal and the rows of the examples whose coefficients it changes). Other errors are
// that of ctx and [ErrNotConverged].
func (s SVR) Fit(ctx context.Context, k Kernel, targets []float64) (*Machine, error) {
	n := k.Len()
	if len(targets) != n {
		return nil, fmt.Errorf("svm: %d targets for a kernel of %d examples", len(targets), n)
	}
	d, err := s.dual(targets)
	if err != nil {
		return nil, err
	}
	return d.solve(ctx, k, s.Tolerance, s.MaxIterations, s.CacheBytes)
}

// dual returns the problem of the regression: coefficient i is α_i, i+n is -α*_i.
func (s SVR) dual(targets []float64) (dual, error) {
	if !(s.Epsilon >= 0) || math.IsInf(s.Epsilon, 1) {
		return dual{}, fmt.Errorf("svm: epsilon is %v, want a finite number of at least 0", s.Epsilon)
	}
	n := len(targets)
	if n == 0 {
		return dual{}, errors.New("svm: no examples")
	}
	cost, err := costs(s.C, n, nil)
	if err != nil {
		return dual{}, err
	}
	d := newDual(2 * n)
	for i, y := range targets {
		if y-y != 0 { // NaN or infinite
			return dual{}, fmt.Errorf("svm: target %d is %v, want a finite number", i, y)
		}
		d.target[i], d.most[i] = y-s.Epsilon, cost[i]
		d.target[n+i], d.lowest[n+i] = y+s.Epsilon, -cost[i]
	}
	return d, nil
}
