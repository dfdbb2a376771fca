package svm_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"synpool/internal/large"
	"synpool/internal/svm"
)

// matrix returns the kernel of n x n values.
func matrix(t testing.TB, values []float64, n int) *svm.Matrix {
	t.Helper()
	k, err := svm.NewMatrix(values, n)
	must(t, err)
	return k
}

// counting is a kernel that computes its rows, and counts them.
type counting struct {
	*svm.Matrix
	rows int
}

// onDemand hides that the matrix has its rows in memory.
type onDemand struct{ svm.Kernel }

func (c *counting) Row(i int, dst []float64) {
	c.rows++
	c.Matrix.Row(i, dst)
}

// decisions returns those of all examples, by the full matrix.
func decisions(m *svm.Machine, values []float64) []float64 {
	n := len(m.Coefficients)
	d := make([]float64, n)
	for i := range d {
		d[i] = m.Decision(values[i*n:][:n])
	}
	return d
}

// near compares decision values.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d decisions, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: decision %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// kkt checks that a machine is optimal up to the tolerance.
func kkt(t *testing.T, m *svm.Machine, values []float64, positive []bool, weights []float64, c, tolerance float64) {
	t.Helper()
	sum := 0.0
	for i, f := range decisions(m, values) {
		y, cost := -1.0, c
		if positive[i] {
			y = 1
		}
		if weights != nil {
			cost *= weights[i]
		}
		beta := m.Coefficients[i]
		sum += beta
		alpha := y * beta
		if alpha < 0 || alpha > cost {
			t.Fatalf("α of %d is %v, outside 0 to %v", i, alpha, cost)
		}
		// The bias is between the extremes, so that each is within the tolerance of it.
		if alpha < cost && y*f < 1-tolerance || alpha > 0 && y*f > 1+tolerance {
			t.Fatalf("example %d with α = %v of %v has the margin %v", i, alpha, cost, y*f)
		}
	}
	if math.Abs(sum) > 1e-9*c*float64(len(positive)) {
		t.Fatalf("Σ β = %v", sum)
	}
	if m.Violation > tolerance {
		t.Fatalf("violation %v", m.Violation)
	}
}

func TestOptimal(t *testing.T) {
	for seed := range uint64(large.Number(12, 200)) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 2 + r.IntN(120)
		_, values, positive := blobs(r, n, 1+r.IntN(6), r.Float64()*2, 0.05+r.Float64())
		var weights []float64
		if seed%2 == 1 {
			weights = make([]float64, n)
			for i := range weights {
				weights[i] = 3 * r.Float64()
				if i > 1 && r.IntN(5) == 0 {
					weights[i] = 0
				}
			}
		}
		if seed%3 == 2 { // a kernel that is not definite
			for i := range n {
				for j := range i + 1 {
					values[i*n+j] -= 0.3
					values[i*n+j] += 0.2 * math.Sin(float64(i*j))
					values[j*n+i] = values[i*n+j]
				}
			}
		}
		s := svm.DefaultCSVC()
		s.C, s.Tolerance = math.Pow(10, 3*r.Float64()-2), 1e-5
		k := matrix(t, values, n)
		m, err := s.Fit(t.Context(), k, positive, weights)
		if err != nil {
			t.Fatal(seed, err)
		}
		kkt(t, m, values, positive, weights, s.C, s.Tolerance)
		again, err := s.Fit(t.Context(), k, positive, weights)
		if err != nil || !slices.Equal(m.Coefficients, again.Coefficients) || m.Bias != again.Bias {
			t.Fatalf("seed %d: a second fit differs (%v)", seed, err)
		}
		if weights == nil && seed%3 != 2 {
			aside, err := svm.FitShrinking(t.Context(), s, k, positive, 10)
			if err != nil {
				t.Fatal(seed, err)
			}
			kkt(t, aside, values, positive, nil, s.C, s.Tolerance)
			near(t, "shrinking", decisions(aside, values), decisions(m, values), 1e-2)
		}
	}
}

// TestPermuted permutes examples, doubles one by its weight, and leaves one out by it.
func TestPermuted(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	const n = 90
	_, values, positive := blobs(r, n, 4, 0.7, 0.2)
	k := matrix(t, values, n)
	s := svm.DefaultCSVC()
	s.C, s.Tolerance = 3, 1e-7
	weights := slices.Repeat([]float64{1}, n)
	weights[4], weights[9] = 2, 0
	m, err := s.Fit(t.Context(), k, positive, weights)
	must(t, err)
	if m.Coefficients[9] != 0 {
		t.Errorf("an example of weight 0 has the coefficient %v", m.Coefficients[9])
	}
	want := decisions(m, values)
	index := r.Perm(n)
	index = append(slices.DeleteFunc(index, func(i int) bool { return i == 9 }), 4) // 4 twice
	part, err := svm.Subset(k, index)
	must(t, err)
	labels := make([]bool, len(index))
	for at, i := range index {
		labels[at] = positive[i]
	}
	p, err := s.Fit(t.Context(), part, labels, nil)
	must(t, err)
	got := make([]float64, n)
	for i := range got {
		row := make([]float64, len(index))
		for at, j := range index {
			row[at] = values[i*n+j]
		}
		got[i] = p.Decision(row)
	}
	near(t, "permuted", got, want, 1e-5)
}

// TestSubset compares subsets, of kernels of all kinds, with the matrix that they stand for.
func TestSubset(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	const n = 700
	_, values, positive := blobs(r, n, 4, 0.7, 0.2)
	k := matrix(t, values, n)
	outer := r.Perm(n)[:600]
	inner := r.Perm(600)[:500]
	index, labels := make([]int, 500), make([]bool, 500)
	extracted := make([]float64, 500*500)
	for at, i := range inner {
		index[at] = outer[i]
		labels[at] = positive[index[at]]
	}
	for a, i := range index {
		for b, j := range index {
			extracted[a*500+b] = values[i*n+j]
		}
	}
	s := svm.DefaultCSVC()
	s.C = 2
	want, err := s.Fit(t.Context(), matrix(t, extracted, 500), labels, nil)
	must(t, err)
	kkt(t, want, extracted, labels, nil, s.C, s.Tolerance)
	subset := func(k svm.Kernel, index []int) svm.Kernel {
		s, err := svm.Subset(k, index)
		must(t, err)
		return s
	}
	count := &counting{Matrix: k}
	for name, part := range map[string]svm.Kernel{
		"subset":            subset(k, index),
		"subset of subset":  subset(subset(k, outer), inner),
		"subset on demand":  subset(onDemand{k}, index),
		"subset of a cache": subset(svm.NewCache(onDemand{count}, 1<<20), index),
		"cache":             svm.NewCache(onDemand{matrix(t, extracted, 500)}, 0),
		"on demand":         onDemand{matrix(t, extracted, 500)},
	} {
		for _, bytes := range []int64{0, 20_000, 256 << 20} {
			s.CacheBytes = bytes
			m, err := s.Fit(t.Context(), part, labels, nil)
			if err != nil {
				t.Fatal(name, err)
			}
			if !slices.Equal(m.Coefficients, want.Coefficients) || m.Bias != want.Bias || m.Iterations != want.Iterations {
				t.Errorf("%s, %d bytes: a fit differs from that of the matrix", name, bytes)
			}
		}
	}
	for _, i := range []int{-1, n} {
		if _, err := svm.Subset(k, []int{0, i}); err == nil {
			t.Errorf("a subset with example %d", i)
		}
	}
}

// TestSingle fits a matrix of float32 values and a subset of it as their float64 matrix.
func TestSingle(t *testing.T) {
	const n = 500
	_, values, positive := blobs(rand.New(rand.NewPCG(9, 1)), n, 4, 0.7, 0.2)
	rounded := make([]float32, len(values))
	for i, v := range values {
		rounded[i] = float32(v)
		values[i] = float64(rounded[i])
	}
	single, err := svm.NewSingle(rounded, n)
	must(t, err)
	var index []int
	var labels []bool
	for i := 0; i < n; i += 3 {
		index, labels = append(index, i), append(labels, positive[i])
	}
	s := svm.DefaultCSVC()
	for name, rows := range map[string][]int{"all": nil, "a part": index} {
		var got, want svm.Kernel = single, matrix(t, values, n)
		positive := positive
		if rows != nil {
			positive = labels
			if got, err = svm.Subset(got, rows); err != nil {
				t.Fatal(err)
			}
			if want, err = svm.Subset(want, rows); err != nil {
				t.Fatal(err)
			}
		}
		a, err := s.Fit(t.Context(), got, positive, nil)
		must(t, err)
		b, err := s.Fit(t.Context(), want, positive, nil)
		must(t, err)
		if !slices.Equal(a.Coefficients, b.Coefficients) || a.Bias != b.Bias {
			t.Errorf("%s: a fit differs from that of the float64 matrix", name)
		}
	}
	for _, n := range []int{0, -1, 7} {
		if _, err := svm.NewSingle(rounded[:48], n); err == nil {
			t.Errorf("48 values are a matrix of %d rows", n)
		}
	}
}

// TestCache reads rows in any order and counts those computed.
func TestCache(t *testing.T) {
	const n = 20
	values := make([]float64, n*n)
	for i := range values {
		values[i] = float64(i)
	}
	k := &counting{Matrix: matrix(t, values, n)}
	c := svm.NewCache(onDemand{k}, 3*n*8) // three rows
	row := make([]float64, n)
	for step, want := range []struct{ row, computed int }{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {0, 4}, {1, 5}, {0, 5}, {3, 5}, {2, 6}} {
		c.Row(want.row, row)
		if row[5] != float64(want.row*n+5) || k.rows != want.computed {
			t.Errorf("step %d: row %d begins %v after %d rows computed, want %d", step, want.row, row[:6], k.rows, want.computed)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		i := r.IntN(n)
		if c.Row(i, row); row[7] != float64(i*n+7) {
			t.Fatalf("row %d holds %v", i, row)
		}
	}
}

func TestNotConverged(t *testing.T) {
	_, values, positive := blobs(rand.New(rand.NewPCG(3, 1)), 60, 4, 0.3, 0.2)
	k := matrix(t, values, 60)
	s := svm.DefaultCSVC()
	s.MaxIterations = 5
	m, err := s.Fit(t.Context(), k, positive, nil)
	if !errors.Is(err, svm.ErrNotConverged) || m == nil || m.Iterations != 5 || !(m.Violation > s.Tolerance) {
		t.Errorf("%+v, %v", m, err)
	}
	s = svm.DefaultCSVC()
	s.Tolerance = 1e-300 // float64 gets no nearer than its rounding
	s.MaxIterations = 100_000
	if m, err = s.Fit(t.Context(), k, positive, nil); err != nil && (!errors.Is(err, svm.ErrNotConverged) || m == nil || m.Violation > 1e-9) {
		t.Errorf("%+v, %v", m, err)
	}
	// A kernel of noise, as indefinite as possible, also ends.
	r := rand.New(rand.NewPCG(4, 1))
	for i := range 60 {
		for j := range i + 1 {
			values[i*60+j] = r.NormFloat64()
			values[j*60+i] = values[i*60+j]
		}
	}
	if m, err = svm.DefaultCSVC().Fit(t.Context(), k, positive, nil); err != nil {
		t.Error(err)
	} else {
		kkt(t, m, values, positive, nil, 1, 1e-3)
	}
}

func TestCancelled(t *testing.T) {
	_, values, positive := blobs(rand.New(rand.NewPCG(3, 1)), 60, 4, 0.3, 0.2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := svm.DefaultCSVC().Fit(ctx, matrix(t, values, 60), positive, nil); !errors.Is(err, context.Canceled) || m != nil {
		t.Error(m, err)
	}
	for _, penalty := range []svm.Penalty{svm.L1, svm.L2} {
		s := svm.DefaultLinear()
		s.Penalty = penalty
		if h, err := svm.FitLinear(ctx, s, svm.Dense{Values: values, N: 60, Features: 60}, positive, nil); !errors.Is(err, context.Canceled) || h != nil {
			t.Error(h, err)
		}
	}
}

func TestBadInputs(t *testing.T) {
	good := []float64{2, 1, 0, 1, 2, 1, 0, 1, 2}
	labels := []bool{true, false, true}
	for name, change := range map[string]func(s *svm.CSVC, values []float64, labels *[]bool, weights *[]float64){
		"C 0":               func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.C = 0 },
		"C NaN":             func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.C = math.NaN() },
		"C infinite":        func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.C = math.Inf(1) },
		"tolerance 0":       func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.Tolerance = 0 },
		"tolerance NaN":     func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.Tolerance = math.NaN() },
		"no iterations":     func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.MaxIterations = 0 },
		"a negative cache":  func(s *svm.CSVC, _ []float64, _ *[]bool, _ *[]float64) { s.CacheBytes = -1 },
		"NaN":               func(_ *svm.CSVC, v []float64, _ *[]bool, _ *[]float64) { v[1], v[3] = math.NaN(), math.NaN() },
		"infinite":          func(_ *svm.CSVC, v []float64, _ *[]bool, _ *[]float64) { v[1], v[3] = math.Inf(1), math.Inf(1) },
		"NaN on diagonal":   func(_ *svm.CSVC, v []float64, _ *[]bool, _ *[]float64) { v[4] = math.NaN() },
		"too large":         func(_ *svm.CSVC, v []float64, _ *[]bool, _ *[]float64) { v[0], v[4], v[8] = 1e308, 1e308, -1e308 },
		"labels":            func(_ *svm.CSVC, _ []float64, l *[]bool, _ *[]float64) { *l = (*l)[:2] },
		"one class":         func(_ *svm.CSVC, _ []float64, l *[]bool, _ *[]float64) { *l = []bool{true, true, true} },
		"one class by cost": func(_ *svm.CSVC, _ []float64, _ *[]bool, w *[]float64) { *w = []float64{1, 0, 1} },
		"weights":           func(_ *svm.CSVC, _ []float64, _ *[]bool, w *[]float64) { *w = []float64{1, 1} },
		"a negative weight": func(_ *svm.CSVC, _ []float64, _ *[]bool, w *[]float64) { *w = []float64{1, 1, -1} },
		"a NaN weight":      func(_ *svm.CSVC, _ []float64, _ *[]bool, w *[]float64) { *w = []float64{1, 1, math.NaN()} },
	} {
		s, values, l := svm.DefaultCSVC(), slices.Clone(good), slices.Clone(labels)
		s.MaxIterations = 1000
		var weights []float64
		change(&s, values, &l, &weights)
		_, err := s.Fit(t.Context(), matrix(t, values, 3), l, weights)
		if name == "too large" {
			continue // ends
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if one := name == "one class" || name == "one class by cost"; one != errors.Is(err, svm.ErrOneClass) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, size := range [][2]int{{9, 0}, {8, 3}, {9, 2}, {0, 1}} {
		if _, err := svm.NewMatrix(make([]float64, size[0]), size[1]); err == nil {
			t.Errorf("%d values as %d rows", size[0], size[1])
		}
	}
}

func TestWeights(t *testing.T) {
	labels := []bool{true, false, false, false}
	if got := svm.Balanced(labels); !slices.Equal(got, []float64{2, 2. / 3, 2. / 3, 2. / 3}) {
		t.Error(got)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
