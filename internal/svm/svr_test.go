package svm_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/large"
	"synpool/internal/svm"
)

// TestGoldenRegressions compares regressions with those of scikit-learn. Both sides stop at a violation of 1e-8, which bounds the error
// of a decision value by no more than decisionTolerance; of the sigmoid kernel, which is not definite, they take the same path.
func TestGoldenRegressions(t *testing.T) {
	golden := goldenfile.Read[struct {
		Regressions []struct {
			Name            string
			N               int
			Kernel, Targets []float64 // the upper triangle, and targets, times 1024
			Cases           []struct {
				Name                        string
				C, Epsilon, Bias, Objective float64
				Supports                    int
				Decisions                   []float64
			}
		}
	}](t, "svr.json")
	if len(golden.Regressions) != 4 {
		t.Fatalf("%d kernels", len(golden.Regressions))
	}
	for _, set := range golden.Regressions {
		values, targets := symmetric(set.Kernel, set.N), make([]float64, set.N)
		for i, v := range set.Targets {
			targets[i] = v / 1024
		}
		for _, c := range set.Cases {
			t.Run(set.Name+" "+c.Name, func(t *testing.T) {
				s := svm.DefaultSVR()
				s.C, s.Epsilon, s.Tolerance = c.C, c.Epsilon, 1e-8
				m, err := s.Fit(t.Context(), matrix(t, values, set.N), targets)
				must(t, err)
				if d := math.Abs(m.Objective - c.Objective); d > 1e-6*(1+math.Abs(c.Objective)) {
					t.Errorf("objective %v, want %v", m.Objective, c.Objective)
				}
				if math.Abs(m.Bias-c.Bias) > decisionTolerance {
					t.Errorf("bias %v, want %v", m.Bias, c.Bias)
				}
				supports := 0
				for _, b := range m.Coefficients {
					if b != 0 {
						supports++
					}
				}
				if supports != c.Supports {
					t.Errorf("%d support vectors, want %d", supports, c.Supports)
				}
				near(t, set.Name, decisions(m, values), c.Decisions, decisionTolerance)
			})
		}
	}
}

// curve returns n points, their radial kernel matrix, and targets that follow them, with noise.
func curve(r *rand.Rand, n, features int, noise, gamma float64) (values, targets []float64) {
	x, values, _ := blobs(r, n, features, 0, gamma)
	targets = make([]float64, n)
	for i := range targets {
		targets[i] = math.Sin(2*x[i*features]) + noise*r.NormFloat64()
	}
	return values, targets
}

// tubed checks that a regression is optimal up to the tolerance: the conditions of Karush, Kuhn and Tucker.
func tubed(t *testing.T, m *svm.Machine, values, targets []float64, s svm.SVR) {
	t.Helper()
	sum := 0.0
	for i, f := range decisions(m, values) {
		cost, beta, miss := s.C, m.Coefficients[i], targets[i]-f
		sum += beta
		if math.Abs(beta) > cost {
			t.Fatalf("β of %d is %v, beyond %v", i, beta, cost)
		}
		// The bias is between the extremes, so that each is within the tolerance of it.
		if beta < cost && miss > s.Epsilon+s.Tolerance || beta > -cost && miss < -s.Epsilon-s.Tolerance {
			t.Fatalf("example %d with β = %v of %v is %v outside its target", i, beta, cost, miss)
		}
		if beta > 0 && miss < s.Epsilon-s.Tolerance || beta < 0 && miss > s.Tolerance-s.Epsilon {
			t.Fatalf("example %d with β = %v of %v is in the tube, %v from its target", i, beta, cost, miss)
		}
	}
	if math.Abs(sum) > 1e-9*s.C*float64(len(targets)) {
		t.Fatalf("Σ β = %v", sum)
	}
	if m.Violation > s.Tolerance {
		t.Fatalf("violation %v", m.Violation)
	}
}

func TestRegressionOptimal(t *testing.T) {
	for seed := range uint64(large.Number(12, 200)) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 2 + r.IntN(100)
		values, targets := curve(r, n, 1+r.IntN(5), r.Float64(), 0.05+r.Float64())
		if seed%3 == 2 { // a kernel that is not definite
			for i := range n {
				for j := range i + 1 {
					values[i*n+j] += 0.2*math.Sin(float64(i*j)) - 0.3
					values[j*n+i] = values[i*n+j]
				}
			}
		}
		s := svm.DefaultSVR()
		s.C, s.Epsilon, s.Tolerance = math.Pow(10, 3*r.Float64()-2), 0.05+0.5*r.Float64(), 1e-5
		k := matrix(t, values, n)
		m, err := s.Fit(t.Context(), k, targets)
		if err != nil {
			t.Fatal(seed, err)
		}
		tubed(t, m, values, targets, s)
		demand, err := s.Fit(t.Context(), onDemand{k}, targets)
		if err != nil || !slices.Equal(m.Coefficients, demand.Coefficients) || m.Bias != demand.Bias {
			t.Fatalf("seed %d: a fit to rows that are computed differs (%v)", seed, err)
		}
		if seed%3 != 2 {
			aside, err := svm.RegressShrinking(t.Context(), s, k, targets, 10)
			if err != nil {
				t.Fatal(seed, err)
			}
			tubed(t, aside, values, targets, s)
			near(t, "shrinking", decisions(aside, values), decisions(m, values), 1e-2)
		}
	}
}

// TestRegressionLaws: targets that are shifted shift the values, those that are scaled with ε and C scale them, and negated ones negate them.
func TestRegressionLaws(t *testing.T) {
	const n = 70
	values, targets := curve(rand.New(rand.NewPCG(7, 3)), n, 3, 0.3, 0.3)
	s := svm.DefaultSVR()
	s.C, s.Tolerance = 2, 1e-8
	fit := func(s svm.SVR, k svm.Kernel, targets []float64) *svm.Machine {
		m, err := s.Fit(t.Context(), k, targets)
		must(t, err)
		return m
	}
	k := matrix(t, values, n)
	base := decisions(fit(s, k, targets), values)
	for name, law := range map[string]struct{ scale, shift float64 }{"shifted": {1, 100}, "scaled": {1000, 0}, "negated": {-1, 0}} {
		s, moved, want := s, make([]float64, n), make([]float64, n)
		for i := range moved {
			moved[i], want[i] = law.scale*targets[i]+law.shift, law.scale*base[i]+law.shift
		}
		size := math.Abs(law.scale)
		s.C, s.Epsilon, s.Tolerance = s.C*size, s.Epsilon*size, s.Tolerance*size
		near(t, name, decisions(fit(s, k, moved), values), want, 1e-5*size)
	}
}

// TestTube: where all targets are in one tube the values are its middle.
func TestTube(t *testing.T) {
	values, _ := curve(rand.New(rand.NewPCG(8, 3)), 5, 2, 0, 0.3)
	s := svm.DefaultSVR()
	s.Epsilon = 3
	for _, targets := range [][]float64{{1, 4, 2, 7, 3}, {4, 4, 4, 4, 4}} {
		m, err := s.Fit(t.Context(), matrix(t, values, 5), targets)
		if err != nil || m.Bias != 4 || slices.ContainsFunc(m.Coefficients, func(b float64) bool { return b != 0 }) || m.Iterations != 0 {
			t.Errorf("%v: %+v, %v", targets, m, err)
		}
	}
}

func TestRegressionBadInputs(t *testing.T) {
	values, targets := []float64{2, 1, 0, 1, 2, 1, 0, 1, 2}, []float64{1, 2, 4}
	for want, change := range map[string]func(s *svm.SVR, values []float64, targets *[]float64){
		"C is 0":                      func(s *svm.SVR, _ []float64, _ *[]float64) { s.C = 0 },
		"epsilon is -1":               func(s *svm.SVR, _ []float64, _ *[]float64) { s.Epsilon = -1 },
		"epsilon is NaN":              func(s *svm.SVR, _ []float64, _ *[]float64) { s.Epsilon = math.NaN() },
		"epsilon is +Inf":             func(s *svm.SVR, _ []float64, _ *[]float64) { s.Epsilon = math.Inf(1) },
		"the tolerance is 0":          func(s *svm.SVR, _ []float64, _ *[]float64) { s.Tolerance = 0 },
		"at most 0 iterations":        func(s *svm.SVR, _ []float64, _ *[]float64) { s.MaxIterations = 0 },
		"a cache of -1 bytes":         func(s *svm.SVR, _ []float64, _ *[]float64) { s.CacheBytes = -1 },
		"examples 0 and 1 is NaN":     func(_ *svm.SVR, v []float64, _ *[]float64) { v[1], v[3] = math.NaN(), math.NaN() },
		"examples 2 and 2 is +Inf":    func(_ *svm.SVR, v []float64, _ *[]float64) { v[8] = math.Inf(1) },
		"2 targets for a kernel of 3": func(_ *svm.SVR, _ []float64, y *[]float64) { *y = (*y)[:2] },
		"target 1 is NaN":             func(_ *svm.SVR, _ []float64, y *[]float64) { (*y)[1] = math.NaN() },
		"target 2 is -Inf":            func(_ *svm.SVR, _ []float64, y *[]float64) { (*y)[2] = math.Inf(-1) },
	} {
		s, v, y := svm.DefaultSVR(), slices.Clone(values), slices.Clone(targets)
		change(&s, v, &y)
		m, err := s.Fit(t.Context(), matrix(t, v, 3), y)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v, error %v, want one with %q", m, err, want)
		}
	}
	s := svm.DefaultSVR()
	s.MaxIterations, s.Tolerance = 1, 1e-12
	if m, err := s.Fit(t.Context(), matrix(t, values, 3), targets); !errors.Is(err, svm.ErrNotConverged) || m == nil || m.Iterations != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}
