package svm_test

import (
	"math"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/svm"
)

// decisionTolerance is the tolerance of decision values; both sides stop where the slope is small, not exactly at the
// minimum.
const decisionTolerance = 1e-5

// weighing says how the examples of a case are weighted.
type weighing struct {
	Weights  []float64
	Balanced bool
}

// of returns the weights; those of a balanced case are ours.
func (w weighing) of(positive []bool) []float64 {
	if w.Balanced {
		return svm.Balanced(positive)
	}
	return w.Weights
}

// golden is the file that testdata/svm.py writes.
type golden struct {
	Kernels []struct {
		Name   string
		N      int
		Kernel []float64 // the upper triangle, times 1024
		Labels []int
		Cases  []struct {
			Name               string
			C, Bias, Objective float64
			Least              float64 // eigenvalue
			Decisions          []float64
			weighing
		}
	}
	Vectors []struct {
		Name        string
		N, Features int
		X           []float64 // times 1024
		Labels      []int
		Cases       []struct {
			Name, Penalty    string
			C, Scaling, Bias float64
			Decisions        []float64
			Zeros            int // weights
			weighing
		}
	}
}

func load(t *testing.T) golden {
	t.Helper()
	g := goldenfile.Read[golden](t, "svm.json")
	if len(g.Kernels) != 10 || len(g.Vectors) != 2 {
		t.Fatalf("%d kernels, %d matrices", len(g.Kernels), len(g.Vectors))
	}
	return g
}

func positives(labels []int) []bool {
	p := make([]bool, len(labels))
	for i, l := range labels {
		p[i] = l == 1
	}
	return p
}

// symmetric returns the kernel matrix of an upper triangle that is multiplied by 1024.
func symmetric(triangle []float64, n int) []float64 {
	values, at := make([]float64, n*n), 0
	for i := range n {
		for j := i; j < n; j++ {
			values[i*n+j] = triangle[at] / 1024
			values[j*n+i] = values[i*n+j]
			at++
		}
	}
	return values
}

// TestGoldenKernels compares machines with those of scikit-learn.
func TestGoldenKernels(t *testing.T) {
	for _, set := range load(t).Kernels {
		n := set.N
		values := symmetric(set.Kernel, n)
		k, err := svm.NewMatrix(values, n)
		must(t, err)
		for _, c := range set.Cases {
			t.Run(set.Name+" "+c.Name, func(t *testing.T) {
				s := svm.DefaultCSVC()
				s.C, s.Tolerance = c.C, 1e-8
				positive := positives(set.Labels)
				m, err := s.Fit(t.Context(), k, positive, c.of(positive))
				must(t, err)
				if d := math.Abs(m.Objective - c.Objective); d > 1e-6*(1+math.Abs(c.Objective)) {
					t.Errorf("objective %v, want %v", m.Objective, c.Objective)
				}
				if math.Abs(m.Bias-c.Bias) > decisionTolerance {
					t.Errorf("bias %v, want %v", m.Bias, c.Bias)
				}
				for i, want := range c.Decisions {
					if got := m.Decision(values[i*n:][:n]); math.Abs(got-want) > decisionTolerance {
						t.Fatalf("decision %d is %v, want %v", i, got, want)
					}
				}
			})
		}
	}
}

// TestGoldenVectors compares hyperplanes with those of scikit-learn.
func TestGoldenVectors(t *testing.T) {
	for _, set := range load(t).Vectors {
		x := make([]float64, len(set.X))
		for i, v := range set.X {
			x[i] = v / 1024
		}
		dense := svm.Dense{Values: x, N: set.N, Features: set.Features}
		for _, c := range set.Cases {
			t.Run(set.Name+" "+c.Name, func(t *testing.T) {
				s := svm.DefaultLinear()
				s.C, s.InterceptScaling, s.Tolerance = c.C, c.Scaling, 1e-8
				if c.Penalty == "l1" {
					s.Penalty = svm.L1
				}
				positive := positives(set.Labels)
				h, err := svm.FitLinear(t.Context(), s, dense, positive, c.of(positive))
				must(t, err)
				zeros := 0
				for _, w := range h.Weights {
					if w == 0 {
						zeros++
					}
				}
				if zeros != c.Zeros {
					t.Errorf("%d weights are 0, want %d", zeros, c.Zeros)
				}
				if math.Abs(h.Bias-c.Bias) > decisionTolerance {
					t.Errorf("bias %v, want %v", h.Bias, c.Bias)
				}
				for i, want := range c.Decisions {
					if got := h.Decision(x[i*set.Features:][:set.Features]); math.Abs(got-want) > decisionTolerance {
						t.Fatalf("decision %d is %v, want %v", i, got, want)
					}
				}
			})
		}
	}
}
