// Package lbfgs minimises smooth functions with gonum's L-BFGS.
package lbfgs

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// ErrNotConverged is wrapped by the error when the minimum is not reached.
var ErrNotConverged = errors.New("not converged")

// Function is a function to minimise. It returns its value at x and sets gradient, which has the length of x, to its
// derivatives there.
type Function func(x, gradient []float64) float64

// Minimise returns a point where no derivative of f is larger than the tolerance, starting from zero in n dimensions. If it
// does not get there within the given number of iterations, the error is [ErrNotConverged]. It stops with the error of the
// context when that ends.
func Minimise(ctx context.Context, n int, f Function, tolerance float64, iterations int) ([]float64, error) {
	at := point{f: f, gradient: make([]float64, n)}
	problem := optimize.Problem{
		Func: func(x []float64) float64 { at.move(x); return at.value },
		Grad: func(to, x []float64) { at.move(x); copy(to, at.gradient) },
		Status: func() (optimize.Status, error) {
			if err := context.Cause(ctx); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{GradientThreshold: tolerance, MajorIterations: iterations, Converger: optimize.NeverTerminate{}}
	found, err := optimize.Minimize(problem, make([]float64, n), settings, &optimize.LBFGS{})
	if stopped := context.Cause(ctx); stopped != nil {
		return nil, stopped
	}
	if found == nil {
		return nil, err
	}
	at.move(found.X)
	if steepest := floats.Norm(at.gradient, math.Inf(1)); !(steepest <= tolerance) {
		if err == nil {
			err = fmt.Errorf("stopped by %v", found.Status)
		}
		return nil, fmt.Errorf("%w after %d iterations (%w): a derivative is %.1g, more than %.1g", ErrNotConverged, found.MajorIterations, err, steepest, tolerance)
	}
	return found.X, nil
}

// point caches the last evaluation: gonum asks for value and gradient separately, but both are computed at once.
type point struct {
	f        Function
	x        []float64 // nil before the first evaluation
	value    float64
	gradient []float64
}

func (p *point) move(x []float64) {
	if p.x != nil && floats.Equal(x, p.x) {
		return
	}
	p.x = append(p.x[:0], x...)
	p.value = p.f(p.x, p.gradient)
}
