package svm_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"synpool/internal/large"
	"synpool/internal/svm"
)

// subgradient returns the greatest violation of the conditions of a minimum, over all weights and the bias.
func subgradient(h *svm.Hyperplane, s svm.Linear, x svm.Dense, positive []bool, weights []float64) float64 {
	slope := make([]float64, x.Features+1)
	for i, p := range positive {
		row := x.Values[i*x.Features:][:x.Features]
		y, c := -1.0, s.C
		if p {
			y = 1
		}
		if weights != nil {
			c *= weights[i]
		}
		pull := -2 * c * y * max(0, 1-y*h.Decision(row))
		for j, v := range row {
			slope[j] += pull * v
		}
		slope[x.Features] += pull * s.InterceptScaling
	}
	worst := 0.0
	for j, g := range slope {
		w := 0.0
		if j < x.Features {
			w = h.Weights[j]
		} else if s.InterceptScaling > 0 {
			w = h.Bias / s.InterceptScaling
		}
		v := math.Abs(g + w)
		if s.Penalty == svm.L1 {
			v = max(0, math.Abs(g)-1)
			if w != 0 {
				v = math.Abs(g + math.Copysign(1, w))
			}
		}
		worst = max(worst, v)
	}
	return worst
}

func TestLinearOptimal(t *testing.T) {
	for seed := range uint64(large.Number(24, 300)) {
		r := rand.New(rand.NewPCG(seed, 2))
		n, features := 2+r.IntN(60), 1+r.IntN(150)
		values, _, positive := blobs(r, n, features, r.Float64(), 0)
		if seed%3 == 0 { // features that are much alike
			for i := range n {
				for j := range features {
					values[i*features+j] = 1 + values[i*features+j]/20
				}
			}
		}
		s := svm.DefaultLinear()
		s.C, s.Tolerance, s.Seed = math.Pow(10, 3*r.Float64()-2), 1e-8, seed
		s.InterceptScaling = []float64{1, 0, 5}[seed%3]
		s.Penalty = svm.Penalty(r.IntN(2))
		var weights []float64
		if seed%2 == 0 {
			weights = make([]float64, n)
			for i := range weights {
				weights[i] = 2 * r.Float64()
				if i > 1 && r.IntN(4) == 0 {
					weights[i] = 0
				}
			}
		}
		x := svm.Dense{Values: values, N: n, Features: features}
		h, err := svm.FitLinear(t.Context(), s, x, positive, weights)
		if err != nil {
			t.Fatal(seed, err)
		}
		if v := subgradient(h, s, x, positive, weights); v > 1e-4 {
			t.Errorf("seed %d, %+v, %d x %d: the slope is %v", seed, s, n, features, v)
		}
		// The order of examples and the seed do not matter; equal calls are equal.
		order := r.Perm(n)
		y := svm.Dense{N: n, Features: features}
		labels, permuted := make([]bool, n), []float64(nil)
		for at, i := range order {
			y.Values = append(y.Values, values[i*features:][:features]...)
			labels[at] = positive[i]
			if weights != nil {
				permuted = append(permuted, weights[i])
			}
		}
		again, err := svm.FitLinear(t.Context(), s, x, positive, weights)
		if err != nil || !slices.Equal(again.Weights, h.Weights) || again.Bias != h.Bias {
			t.Fatalf("seed %d: a second fit differs (%v)", seed, err)
		}
		s.Seed++
		other, err := svm.FitLinear(t.Context(), s, y, labels, permuted)
		if err != nil {
			t.Fatal(seed, err)
		}
		if d := math.Abs(other.Objective - h.Objective); d > 1e-6*(1+h.Objective) {
			t.Errorf("seed %d: permuted, the objective is %v, not %v", seed, other.Objective, h.Objective)
		}
	}
}

func TestLinearBadInputs(t *testing.T) {
	good := svm.Dense{Values: []float64{1, 2, 3, 4, 5, 7}, N: 3, Features: 2}
	for name, change := range map[string]func(s *svm.Linear, x *svm.Dense, labels *[]bool, weights *[]float64){
		"penalty":     func(s *svm.Linear, _ *svm.Dense, _ *[]bool, _ *[]float64) { s.Penalty = 2 },
		"C":           func(s *svm.Linear, _ *svm.Dense, _ *[]bool, _ *[]float64) { s.C = -1 },
		"tolerance":   func(s *svm.Linear, _ *svm.Dense, _ *[]bool, _ *[]float64) { s.Tolerance = math.Inf(1) },
		"iterations":  func(s *svm.Linear, _ *svm.Dense, _ *[]bool, _ *[]float64) { s.MaxIterations = 0 },
		"scaling":     func(s *svm.Linear, _ *svm.Dense, _ *[]bool, _ *[]float64) { s.InterceptScaling = -1 },
		"scaling NaN": func(s *svm.Linear, _ *svm.Dense, _ *[]bool, _ *[]float64) { s.InterceptScaling = math.NaN() },
		"no rows":     func(_ *svm.Linear, x *svm.Dense, _ *[]bool, _ *[]float64) { x.N = 0 },
		"no columns":  func(_ *svm.Linear, x *svm.Dense, _ *[]bool, _ *[]float64) { x.Features = 0 },
		"short":       func(_ *svm.Linear, x *svm.Dense, _ *[]bool, _ *[]float64) { x.Values = x.Values[:5] },
		"NaN":         func(_ *svm.Linear, x *svm.Dense, _ *[]bool, _ *[]float64) { x.Values[3] = math.NaN() },
		"infinite":    func(_ *svm.Linear, x *svm.Dense, _ *[]bool, _ *[]float64) { x.Values[5] = math.Inf(-1) },
		"labels":      func(_ *svm.Linear, _ *svm.Dense, l *[]bool, _ *[]float64) { *l = []bool{true, false} },
		"one class":   func(_ *svm.Linear, _ *svm.Dense, l *[]bool, _ *[]float64) { *l = []bool{true, true, true} },
		"weights":     func(_ *svm.Linear, _ *svm.Dense, _ *[]bool, w *[]float64) { *w = []float64{1} },
	} {
		for _, penalty := range []svm.Penalty{svm.L2, svm.L1} {
			s, x, labels := svm.DefaultLinear(), good, []bool{true, false, true}
			s.Penalty = penalty
			x.Values = slices.Clone(x.Values)
			var weights []float64
			change(&s, &x, &labels, &weights)
			if h, err := svm.FitLinear(t.Context(), s, x, labels, weights); err == nil || h != nil || (name == "one class") != errors.Is(err, svm.ErrOneClass) {
				t.Errorf("%s: %v, %v", name, h, err)
			}
		}
	}
	for _, penalty := range []svm.Penalty{svm.L2, svm.L1} {
		s := svm.DefaultLinear()
		s.Penalty, s.MaxIterations, s.Tolerance = penalty, 1, 1e-12
		if h, err := svm.FitLinear(t.Context(), s, good, []bool{true, false, true}, nil); !errors.Is(err, svm.ErrNotConverged) || h == nil || h.Iterations != 1 {
			t.Errorf("%+v, %v", h, err)
		}
	}
}
