package svm

import (
	"context"
	"fmt"
	"math"
)

// SVR fits a support-vector regression to a kernel: a machine whose decision values f(x) are numbers. With the dual variables α_i and α*_i
// of example i and β_i = α_i - α*_i it finds the least
//
//	½ Σ_ij β_i β_j k(x_i, x_j) + ε Σ_i (α_i + α*_i) - Σ_i β_i y_i,  Σ_i β_i = 0,  0 ≤ α_i, α*_i ≤ C_i.
//
// This is the dual of the least ½ |w|² + Σ_i C_i max(0, |y_i - f(x_i)| - ε). Each iteration moves two of the 2n variables, as [CSVC] does.
//
// Source: A. J. Smola, B. Schölkopf, "A tutorial on support vector regression", Statistics and Computing 14 (2004), equations (3) to (10);
// solved as in LIBSVM (C.-C. Chang, C.-J. Lin, "LIBSVM: a library for support vector machines", ACM TIST 2 (2011), section 4.1.4), whose
// criterion to stop and whose bias are the same.
type SVR struct {
	C             float64 // cost of an example of weight 1 and of a target one unit outside the tube
	Epsilon       float64 // ε, half the width of the tube, in units of the targets; at least 0
	Tolerance     float64 // of the violation, which is in units of the targets
	MaxIterations int
	CacheBytes    int64 // for rows of a kernel that is neither a [Matrix] nor a [Cache]
}

// DefaultSVR returns C = 1, ε = 0.1, as LIBSVM and scikit-learn, and the limits of [DefaultCSVC].
func DefaultSVR() SVR {
	c := DefaultCSVC()
	return SVR{C: c.C, Epsilon: 0.1, Tolerance: c.Tolerance, MaxIterations: c.MaxIterations, CacheBytes: c.CacheBytes}
}

// Fit fits a regression to the examples of k with targets[n] and weights[n]; nil weights are all 1. Where all targets are in one tube
// no example is a support vector, and the bias is the middle of the least and the largest target.
//
// It errs where the numbers of examples differ, a setting, target or weight is out of range, no example has a weight above 0, a value that
// it reads is not finite (it reads the diagonal and the rows of the examples that it moves), and with the error of ctx or
// [ErrNotConverged].
func (s SVR) Fit(ctx context.Context, k Kernel, targets, weights []float64) (*Machine, error) {
	n := k.Len()
	if len(targets) != n {
		return nil, fmt.Errorf("svm: %d targets for a kernel of %d examples", len(targets), n)
	}
	d, err := s.dual(targets, weights)
	if err != nil {
		return nil, err
	}
	return d.solve(ctx, k, s.Tolerance, s.MaxIterations, s.CacheBytes)
}

// dual returns the problem of the regression: coefficient i is α_i, i+n is -α*_i.
func (s SVR) dual(targets, weights []float64) (dual, error) {
	if !(s.Epsilon >= 0) || math.IsInf(s.Epsilon, 1) {
		return dual{}, fmt.Errorf("svm: epsilon is %v, want a finite number of at least 0", s.Epsilon)
	}
	cost, err := costs(s.C, len(targets), weights)
	if err != nil {
		return dual{}, err
	}
	n, some := len(targets), false
	d := newDual(2 * n)
	for i, y := range targets {
		if y-y != 0 { // NaN or infinite
			return dual{}, fmt.Errorf("svm: target %d is %v, want a finite number", i, y)
		}
		d.target[i], d.most[i] = y-s.Epsilon, cost[i]
		d.target[n+i], d.lowest[n+i] = y+s.Epsilon, -cost[i]
		some = some || cost[i] > 0
	}
	if !some {
		return dual{}, fmt.Errorf("svm: %d examples, none of a weight above 0", n)
	}
	return d, nil
}
