package memory_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
)

// TestSynergeticGradient: an update of order parameters is a step of γ/(2‖ξ‖²) down the energy's gradient, which finite
// differences give to 1e-6.
func TestSynergeticGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	identity := [][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}
	for _, gamma := range []float64{0.2, 1} {
		s := store(t, &memory.Synergetic{Gamma: gamma}, identity)
		order := normal(random, 1, 4, 1)[0]
		next := must(s.Activate(order))(t)
		size := gamma / (2 * floats.Dot(order, order))
		const h = 1e-5
		for i := range order {
			at := order[i]
			order[i] = at + h
			up := must(s.Energy(order))(t)
			order[i] = at - h
			down := must(s.Energy(order))(t)
			order[i] = at
			if want := at - size*(up-down)/(2*h); math.Abs(next[i]-want) > 1e-6 {
				t.Errorf("gamma %g: order parameter %d becomes %g, want %g", gamma, i, next[i], want)
			}
		}
	}
}

// TestSynergeticFixedPoints: with m equal largest magnitudes, of any signs, order parameters end at ±1/√(2m−1) there, and
// at 0 elsewhere: one-hot, negative one-hot, metastable. At these points the others diminish by 1−γ/2m an update.
func TestSynergeticFixedPoints(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 500 {
		gamma := 1 - 0.7*random.Float64()
		s := memory.Synergetic{Gamma: gamma}
		n := 1 + random.IntN(10)
		m := 1 + random.IntN(n)
		order := make([]float64, n)
		for i := range order {
			order[i] = 0.8 * (2*random.Float64() - 1)
			if i < m {
				order[i] = float64(2*random.IntN(2) - 1)
			}
		}
		trace := activate(t, s, order, 4000)
		last := trace[len(trace)-1]
		for i, x := range last {
			want := 0.0
			if i < m {
				want = math.Copysign(1/math.Sqrt(float64(2*m-1)), order[i])
			}
			if math.Abs(x-want) > 1e-13 {
				t.Fatalf("%v ends in %v", order, last)
			}
		}
		if m < n {
			near := append([]float64{}, last...)
			near[n-1] = 1e-7
			next := must(s.Activate(near))(t)
			if rate, want := next[n-1]/near[n-1], 1-gamma/float64(2*m); math.Abs(rate-want) > 1e-9 {
				t.Fatalf("gamma %g, %d largest: rate %g, want %g", gamma, m, rate, want)
			}
		}
	}
}

// TestSynergeticRetrieval is the same through patterns: a cue comes back as the pattern of the largest magnitude, or as
// its negative.
func TestSynergeticRetrieval(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	negative := 0
	for range 300 {
		patterns := units(random, 6, 30)
		s := store(t, &memory.Synergetic{Gamma: 0.8}, patterns)
		cue := normal(random, 1, 30, 0.3)[0]
		order := must(s.OrderParameters(cue))(t)
		i := winner(order)
		want := slices.Clone(patterns[i])
		if order[i] < 0 {
			negative++
			floats.Scale(-1, want)
		}
		trace := must(memory.Retrieve(s, cue, 3000, 1e-14))(t)
		requireClose(t, "retrieved", trace.Last(), want, 1e-12)
		// The energies of the end: −½+½−¼.
		if energy := trace.Steps[updates(trace)].Energy; math.Abs(energy+0.25) > 1e-12 {
			t.Fatalf("energy %g of a pattern, want -1/4", energy)
		}
	}
	if negative < 100 {
		t.Errorf("%d negatives of 300", negative)
	}
}

// TestSynergeticZeroState: 0 is a stationary point, a local maximum of the energy; there, and at states whose order
// parameters are rounding, an update is a reported condition, and a bias leads away.
func TestSynergeticZeroState(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	patterns := units(random, 4, 7)
	s := store(t, &memory.Synergetic{Gamma: 1}, patterns)
	if energy := must(s.Energy(make([]float64, 7)))(t); energy != 0 {
		t.Errorf("energy %g at 0", energy)
	}
	for range 100 {
		state := must(s.State(normal(random, 1, 4, 0.01)[0]))(t)
		if energy := must(s.Energy(state))(t); !(energy < 0) {
			t.Errorf("energy %g next to 0: 0 is no maximum", energy)
		}
	}
	outside := normal(random, 1, 7, 1)[0]
	for range 3 { // to rounding
		floats.Sub(outside, must(s.State(must(s.OrderParameters(outside))(t)))(t))
	}
	for name, state := range map[string][]float64{"0": make([]float64, 7), "orthogonal": outside} {
		trace, err := memory.Retrieve(s, state, 10, 0)
		if !errors.Is(err, memory.ErrZeroState) {
			t.Errorf("%s: %v", name, err)
		}
		if updates(trace) != 0 || trace.Fixed || !slices.Equal(trace.Last(), state) {
			t.Errorf("%s: the trace has %d updates", name, updates(trace))
		}
		// A bias leads away.
		biased := slices.Clone(state)
		floats.AddScaled(biased, 1e-6, patterns[2])
		requireClose(t, "biased", must(memory.Retrieve(s, biased, 200, 1e-15))(t).Last(), patterns[2], 1e-9)
	}
}

// TestSynergeticScales: order parameters whose squares underflow or overflow are updated as they should be.
func TestSynergeticScales(t *testing.T) {
	s := memory.Synergetic{Gamma: 1}
	for _, scale := range []float64{1e-200, 1e-170, 1e170, 1e200} {
		next := must(s.Activate([]float64{3 * scale, 4 * scale}))(t)
		// (ξ³+ξ)/(2‖ξ‖²): at large scales ξ³/(2‖ξ‖²), at small ones ξ/(2‖ξ‖²).
		want := []float64{27. / 50 * scale, 64. / 50 * scale}
		if scale < 1 {
			want = []float64{3. / 50 / scale, 4. / 50 / scale}
		}
		for i := range next {
			if math.Abs(next[i]-want[i]) > 1e-14*want[i] {
				t.Errorf("scale %g: %v, want %v", scale, next, want)
			}
		}
	}
}
