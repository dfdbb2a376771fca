package transport

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// between returns a distance that must exist.
func between(t *testing.T, s *Solver, metric Metric, x, y []float64, f int, a, b []float64) float64 {
	t.Helper()
	d, err := s.Between(metric, x, y, f, a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// bag returns rows of one of several kinds with their weights, or none.
func bag(r *rand.Rand, rows, f int) (x, w []float64) {
	x = normal(r, rows, f, r.Float64())
	switch r.IntN(3) {
	case 0: // ties and duplicates
		for i := range x {
			x[i] = math.Round(x[i])
		}
	case 1:
		for i := 1; i < rows; i++ {
			if r.IntN(3) == 0 {
				copy(x[i*f:][:f], x)
			}
		}
	}
	switch r.IntN(3) {
	case 0:
		w = weights(r, rows)
	case 1: // some without weight, equal ones
		w = make([]float64, rows)
		k := 1 + r.IntN(rows)
		for i := range k {
			w[i] = 1 / float64(k)
		}
	}
	return x, w
}

func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s Solver
	for range 400 {
		f := 1 + r.IntN(4)
		metric := Metric(r.IntN(2))
		x, a := bag(r, 1+r.IntN(15), f)
		y, b := bag(r, 1+r.IntN(15), f)
		z, c := bag(r, 1+r.IntN(15), f)
		xy := between(t, &s, metric, x, y, f, a, b)
		certify(t, &s, s.cost, a, b, xy)
		xz, zy := between(t, &s, metric, x, z, f, a, c), between(t, &s, metric, z, y, f, c, b)
		const tolerance = 1e-11
		if yx := between(t, &s, metric, y, x, f, b, a); !(math.Abs(yx-xy) <= tolerance) {
			t.Errorf("%v there, %v back", xy, yx)
		}
		if !(xy <= xz+zy+tolerance) {
			t.Errorf("%v directly, %v and %v over a third bag", xy, xz, zy)
		}
		if d := between(t, &s, metric, x, x, f, a, a); !(math.Abs(d) <= tolerance) {
			t.Errorf("a bag is %v from itself", d)
		}
		px, pa := permuted(r, x, a, f)
		py, pb := permuted(r, y, b, f)
		if d := between(t, &s, metric, px, py, f, pa, pb); !(math.Abs(d-xy) <= tolerance) {
			t.Errorf("%v, with permuted rows %v", xy, d)
		}
		// Each row once more with half the weight.
		if a != nil {
			half := append(slices.Clone(a), a...)
			scale(half, 0.5)
			if d := between(t, &s, metric, append(slices.Clone(x), x...), y, f, half, b); !(math.Abs(d-xy) <= tolerance) {
				t.Errorf("%v, with rows split in two %v", xy, d)
			}
			scale(half, 3)
			triple := make([]float64, len(y)/f)
			for j := range triple {
				triple[j] = 3 / float64(len(triple))
				if b != nil {
					triple[j] = 3 * b[j]
				}
			}
			if d := between(t, &s, metric, append(slices.Clone(x), x...), y, f, half, triple); !(math.Abs(d-3*xy) <= tolerance) {
				t.Errorf("%v, with three times the weight %v", xy, d)
			}
		}
	}
}

func permuted(r *rand.Rand, x, w []float64, f int) (px, pw []float64) {
	for _, i := range r.Perm(len(x) / f) {
		px = append(px, x[i*f:][:f]...)
		if w != nil {
			pw = append(pw, w[i])
		}
	}
	return px, pw
}

// TestDegenerate solves what makes a simplex cycle: whole costs of few values, equal or whole weights, of both signs and sizes.
func TestDegenerate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var s Solver
	for i := range 1000 {
		n, m := 1+r.IntN(20), 1+r.IntN(20)
		if i%2 == 0 {
			m = n
		}
		if i%200 == 0 {
			n, m = 120, 120
		}
		values := 1 + r.IntN(4)
		unit := math.Pow(10, float64(r.IntN(13)-6))
		cost := make([]float64, n*m)
		for k := range cost {
			cost[k] = float64(r.IntN(values)-values/3) * unit
		}
		var a, b []float64
		if r.IntN(2) == 0 { // whole weights of one sum
			a, b = make([]float64, n), make([]float64, m)
			for range 5 + r.IntN(50) {
				a[r.IntN(n)]++
				b[r.IntN(m)]++
			}
			total := 0.0
			for _, w := range a {
				total += w
			}
			scale(a, 1/total)
			scale(b, 1/total)
		}
		d, err := s.Distance(cost, n, m, a, b)
		if err != nil {
			t.Fatalf("%d x %d of %d values: %v", n, m, values, err)
		}
		certify(t, &s, cost, a, b, d)
	}
}

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var s Solver
	for _, c := range []struct {
		cost []float64
		n, m int
		a, b []float64
		want string
	}{
		{nil, 0, 0, nil, nil, "fit"},
		{[]float64{1}, 1, 2, nil, nil, "fit"},
		{[]float64{1, 2}, 1, 2, []float64{1, 2}, nil, "fit"},
		{[]float64{1, 2}, 1, 2, nil, []float64{1}, "fit"},
		{[]float64{1, nan}, 1, 2, nil, nil, "a cost is NaN"},
		{[]float64{nan, 1}, 1, 2, nil, nil, "a cost is NaN"},
		{[]float64{1, inf}, 1, 2, nil, nil, "a cost is +Inf"},
		{[]float64{1, -inf}, 1, 2, nil, nil, "a cost is"},
		{[]float64{1, 2}, 1, 2, nil, []float64{nan, 1}, "weight of sink 0 is NaN"},
		{[]float64{1, 2}, 1, 2, nil, []float64{1.5, -0.5}, "weight of sink 1 is -0.5"},
		{[]float64{1, 2}, 2, 1, []float64{inf, 1}, nil, "weight of source 0 is +Inf"},
		{[]float64{1, 2}, 2, 1, []float64{0, 0}, nil, "sources sum to 0"},
		{[]float64{1, 2}, 2, 1, []float64{1e308, 1e308}, nil, "sources sum to +Inf"},
		{[]float64{1, 2}, 2, 1, []float64{0.5, 0.6}, nil, "the weights sum to 1.1 and 1"},
	} {
		if d, err := s.Distance(c.cost, c.n, c.m, c.a, c.b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v %v: %v, %v; want %q", c.cost, c.a, c.b, d, err, c.want)
		}
	}
	if _, err := s.Between(Metric(7), []float64{1}, []float64{1}, 1, nil, nil); err == nil {
		t.Error("metric 7 exists")
	}
	for _, f := range []int{-1, 0, 2, 4} {
		if _, err := Costs(nil, Euclidean, []float64{1, 2, 3}, []float64{1, 2, 3}, f); err == nil {
			t.Errorf("three values are rows of %d", f)
		}
	}
	if _, err := Costs(nil, Euclidean, nil, []float64{1}, 1); err == nil {
		t.Error("an empty bag has distances")
	}
}

// TestCosts compares with the plain formula, for sizes around those of the blocks, equal rows, and rows far from 0.
func TestCosts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var got []float64
	for _, f := range []int{1, 3, 230, 1500, 5000} {
		for range 12 {
			n, m := 1+r.IntN(13), 1+r.IntN(13)
			x, y := normal(r, n, f, 0), normal(r, m, f, 0)
			if shift := math.Pow(10, float64(r.IntN(8))); r.IntN(3) == 0 {
				for k := range x {
					x[k] += shift
				}
				for k := range y {
					y[k] += shift
				}
			}
			copy(y[:f], x)
			for _, metric := range []Metric{Euclidean, CityBlock} {
				var err error
				if got, err = Costs(got, metric, x, y, f); err != nil {
					t.Fatal(err)
				}
				if got[0] != 0 {
					t.Errorf("equal rows are %v apart", got[0])
				}
				for k, d := range got {
					i, j := k/m, k%m
					want := 0.0
					for l := range f {
						e := math.Abs(x[i*f+l] - y[j*f+l])
						if metric == Euclidean {
							e *= e
						}
						want += e
					}
					if metric == Euclidean {
						want = math.Sqrt(want)
					}
					if !(math.Abs(d-want) <= 1e-12*want) {
						t.Fatalf("%v of %d features: %v, want %v", metric, f, d, want)
					}
				}
			}
		}
	}
}

func TestAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	x, y := normal(r, 20, 5, 0), normal(r, 30, 5, 0)
	a := weights(r, 20)
	var s Solver
	if n := testing.AllocsPerRun(10, func() {
		between(t, &s, Euclidean, x, y, 5, a, nil)
		between(t, &s, Euclidean, x[:50], y, 5, nil, nil)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestApproximate(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	var s Solver
	for range 60 {
		f := 1 + r.IntN(5)
		metric := Metric(r.IntN(2))
		limit := 1 + r.IntN(30)
		x, _ := bag(r, 1+r.IntN(60), f)
		y, _ := bag(r, 1+r.IntN(60), f)
		uniform := func(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }
		a, b := uniform(len(x)/f), uniform(len(y)/f)
		exact := between(t, &s, metric, x, y, f, a, b)
		cx, err := Coarsen(metric, x, f, limit)
		if err != nil {
			t.Fatal(err)
		}
		cy, err := Coarsen(metric, y, f, limit)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(cx.Weights); n > limit || len(cx.Rows) != n*f {
			t.Errorf("%d of at most %d representatives", n, limit)
		}
		got, bound, err := s.Approximate(cx, cy)
		if err != nil || !(math.Abs(got-exact) <= bound+1e-11) {
			t.Errorf("%v (%v), exact %v, bound %v", got, err, exact, bound)
		}
		if moved := between(t, &s, metric, x, cx.Rows, f, a, cx.Weights); !(moved <= cx.Moved+1e-11) {
			t.Errorf("a bag is %v from its representatives, moved %v", moved, cx.Moved)
		}
		if max(len(x), len(y)) <= limit*f && (bound != 0 || got != exact) {
			t.Errorf("small bags: %v, bound %v, want %v", got, bound, exact)
		}
	}
	x := []float64{1, 2, 3}
	for _, c := range []struct {
		metric   Metric
		features int
		limit    int
	}{{9, 1, 2}, {Euclidean, 2, 2}, {Euclidean, 1, 0}} {
		if _, err := Coarsen(c.metric, x, c.features, c.limit); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
	if _, err := Coarsen(Euclidean, []float64{1, math.NaN(), 2}, 1, 2); err == nil {
		t.Error("NaN has a representative")
	}
	cx, _ := Coarsen(Euclidean, x, 1, 3)
	cy, _ := Coarsen(CityBlock, x, 1, 3)
	if _, _, err := s.Approximate(cx, cy); err == nil {
		t.Error("two metrics are one")
	}
}
