// Package svm fits support-vector classifiers for two classes, and support-vector regressions, in pure Go.
//
//   - [CSVC] fits a classifier with a kernel, given as a matrix or row by row.
//   - [SVR] fits a regression with such a kernel, with the same solver.
//   - [FitLinear] fits a hyperplane to dense vectors, with an L2 or an L1 penalty.
//
// # Glossary
//
//   - Example: one of the n training examples, with a label y = +1 (positive) or -1, or for a regression a number y.
//   - Weight s_i: how much example i counts; its cost is C_i = C s_i. An example of weight 0 is ignored.
//   - Kernel k(x, z): similarity of two examples, usually ⟨φ(x), φ(z)⟩ for some map φ. K is the matrix k(x_i, x_j).
//   - Coefficient β_i = α_i y_i, where α_i is the dual variable of example i, 0 ≤ α_i ≤ C_i; for a regression β_i = α_i -
//     α*_i.
//   - Support vector: an example with β_i ≠ 0.
//   - Decision value: Σ_i β_i k(x_i, x) + b, or w·x + b. The class is positive if it is above 0; for a regression it is the
//     predicted value.
//   - Tube: the region within ε of the predicted values of a regression. Examples in it cost nothing.
//   - Violation: how far the solution is from optimal; a fit stops when it is at most the tolerance.
//
// All sums are in float64. Results are deterministic: the linear solvers draw their order from a seed, and the kernel solver
// uses no random numbers.
package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrNotConverged says that a fit reached its maximum number of iterations, or could make no more progress in float64,
// before its violation was within the tolerance. The solution so far is returned with it.
var ErrNotConverged = errors.New("svm: not converged")

// ErrOneClass says that all examples with a weight above 0 have the same label, or that there are none.
var ErrOneClass = errors.New("svm: examples of both classes are needed")

// checkEvery is the number of solver steps between two checks of the context.
const checkEvery = 64

// costs returns C_i = c weights[i], [n]; nil weights are all 1. It is an error if a number is not finite or a weight is
// negative.
func costs(c float64, n int, weights []float64) ([]float64, error) {
	if !(c > 0) || math.IsInf(c, 1) {
		return nil, fmt.Errorf("svm: C is %v, want a finite number above 0", c)
	}
	if weights != nil && len(weights) != n {
		return nil, fmt.Errorf("svm: %d weights for %d examples", len(weights), n)
	}
	cost := make([]float64, n)
	for i := range cost {
		cost[i] = c
		if weights != nil {
			cost[i] = c * weights[i]
			if !(weights[i] >= 0) || math.IsInf(cost[i], 1) {
				return nil, fmt.Errorf("svm: weight %d is %v, want a finite number of at least 0", i, weights[i])
			}
		}
	}
	return cost, nil
}

// bothClasses returns [ErrOneClass] unless there are examples of both classes with positive cost.
func bothClasses(cost []float64, positive []bool) error {
	var some [2]bool
	for i, c := range cost {
		if c > 0 {
			some[index(positive[i])] = true
		}
	}
	if !some[0] || !some[1] {
		return ErrOneClass
	}
	return nil
}

// limits checks the settings that all solvers share.
func limits(tolerance float64, iterations int) error {
	if !(tolerance > 0) || math.IsInf(tolerance, 1) {
		return fmt.Errorf("svm: the tolerance is %v, want a finite number above 0", tolerance)
	}
	if iterations < 1 {
		return fmt.Errorf("svm: at most %d iterations, want at least 1", iterations)
	}
	return nil
}

// index is 1 for positive.
func index(positive bool) int {
	if positive {
		return 1
	}
	return 0
}

// sign is the label as a number, +1 or -1.
func sign(positive bool) float64 { return float64(2*index(positive) - 1) }

// Balanced returns one weight per example, n/(2 n_y), [n], where n_y is the size of its class: both classes have the same
// total weight, and the mean weight is 1.
func Balanced(positive []bool) []float64 {
	var count [2]float64
	for _, p := range positive {
		count[index(p)]++
	}
	weights := make([]float64, len(positive))
	for i, p := range positive {
		weights[i] = float64(len(positive)) / 2 / count[index(p)]
	}
	return weights
}

// cancelled wraps the error of a context.
func cancelled(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("svm: %w", err)
	}
	return nil
}
