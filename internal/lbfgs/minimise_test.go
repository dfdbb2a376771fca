package lbfgs

import (
	"context"
	"errors"
	"math"
	"testing"
)

// rosenbrock is the valley of Rosenbrock (1960) with its minimum at (1, 1).
func rosenbrock(x, gradient []float64) float64 {
	a, b := 1-x[0], x[1]-x[0]*x[0]
	gradient[0], gradient[1] = -2*a-400*x[0]*b, 200*b
	return a*a + 100*b*b
}

func TestMinimise(t *testing.T) {
	x, err := Minimise(context.Background(), 2, rosenbrock, 1e-9, 1000)
	if err != nil || math.Abs(x[0]-1) > 1e-8 || math.Abs(x[1]-1) > 1e-8 {
		t.Errorf("%v, %v", x, err)
	}
	calls := 0
	if x, err = Minimise(context.Background(), 3, func(x, gradient []float64) float64 { // at its minimum from the start
		calls++
		copy(gradient, x)
		return (x[0]*x[0] + x[1]*x[1] + x[2]*x[2]) / 2
	}, 1e-9, 10); err != nil || x[0] != 0 || calls != 1 {
		t.Errorf("%v, %v after %d calls", x, err, calls)
	}
}

func TestMinimiseRefuses(t *testing.T) {
	if _, err := Minimise(context.Background(), 2, rosenbrock, 1e-9, 3); !errors.Is(err, ErrNotConverged) {
		t.Errorf("three iterations: %v", err)
	}
	if _, err := Minimise(context.Background(), 1, func(x, gradient []float64) float64 { gradient[0] = math.NaN(); return 0 }, 1e-9, 10); err == nil {
		t.Error("a derivative that is no number")
	}
	boom := errors.New("boom")
	ctx, cancel := context.WithCancelCause(context.Background())
	calls := 0
	_, err := Minimise(ctx, 2, func(x, gradient []float64) float64 {
		if calls++; calls == 3 {
			cancel(boom)
		}
		return rosenbrock(x, gradient)
	}, 1e-9, 1000)
	if !errors.Is(err, boom) || calls > 10 {
		t.Errorf("stopped after %d calls: %v", calls, err)
	}
}
