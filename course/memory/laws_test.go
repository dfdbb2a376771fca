package memory_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
)

// normal draws n vectors of d normal components.
func normal(random *rand.Rand, n, d int, scale float64) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, d)
		for l := range d {
			x[i][l] = scale * random.NormFloat64()
		}
	}
	return x
}

// updates returns the number of updates of a retrieval.
func updates(trace memory.Trace) int { return len(trace.Steps) - 1 }

// norm is the L2 norm.
func norm(x []float64) float64 { return floats.Norm(x, 2) }

// TestEnergyNeverRises follows thousands of retrievals from random states. Energies of ±1 memories with whole or few
// numbers are compared exactly; the others to 1e-12 of the size of their terms, the rounding of their sums.
func TestEnergyNeverRises(t *testing.T) {
	const cases = 2000
	signs := func(random *rand.Rand) (patterns [][]float64, state []float64) {
		d := 2 + random.IntN(20)
		patterns = memory.RandomSigns(1+random.IntN(2*d), d, random)
		return patterns, memory.RandomSigns(1, d, random)[0]
	}
	reals := func(random *rand.Rand) (patterns [][]float64, state []float64) {
		d, scale := 1+random.IntN(12), math.Exp(random.NormFloat64())
		patterns = normal(random, 1+random.IntN(15), d, scale)
		return patterns, normal(random, 1, d, 2*scale)[0]
	}
	// spanned draws order parameters of squared norm ½ to 100 and a state that has them.
	spanned := func(random *rand.Rand) (patterns [][]float64, state []float64) {
		n := 1 + random.IntN(10)
		patterns = normal(random, n, n+random.IntN(5), 1)
		order := normal(random, 1, n, 1)[0]
		power, length := min(8, math.Exp(2*random.NormFloat64())), 0.0
		for i, x := range order {
			order[i] = math.Copysign(math.Pow(math.Abs(x), power), x)
			length = math.Hypot(length, order[i])
		}
		length = 1 / length * math.Sqrt(0.5+1e-9+math.Abs(random.NormFloat64())*math.Pow(10, random.Float64()*1.5))
		state = make([]float64, len(patterns[0]))
		for i, x := range order {
			for l, v := range patterns[i] {
				state[l] += v * x * length
			}
		}
		return patterns, state
	}
	for _, c := range []struct {
		name string
		new  func(random *rand.Rand, d int) memory.Memory
		draw func(random *rand.Rand) ([][]float64, []float64)
		tol  float64
	}{
		{"hopfield asynchronous", func(*rand.Rand, int) memory.Memory { return &memory.Hopfield{} }, signs, 0},
		{"hopfield without diagonal", func(*rand.Rand, int) memory.Memory { return &memory.Hopfield{ZeroDiagonal: true} }, signs, 0},
		{"hopfield synchronous", func(*rand.Rand, int) memory.Memory { return &memory.Hopfield{Synchronous: true} }, signs, 0},
		{"hopfield with bias", func(r *rand.Rand, d int) memory.Memory {
			return &memory.Hopfield{Bias: normal(r, 1, d, 3)[0], ZeroDiagonal: r.IntN(2) == 0}
		}, signs, 1e-12},
		{"hopfield synchronous with bias", func(r *rand.Rand, d int) memory.Memory {
			return &memory.Hopfield{Bias: normal(r, 1, d, 3)[0], Synchronous: true}
		}, signs, 1e-12},
		{"polynomial", func(r *rand.Rand, _ int) memory.Memory { return &memory.Polynomial{Power: 2 + r.IntN(5)} }, signs, 0},
		{"polynomial of power 20", func(*rand.Rand, int) memory.Memory { return &memory.Polynomial{Power: 20} }, signs, 1e-12},
		{"exponential", func(*rand.Rand, int) memory.Memory { return &memory.Exponential{} }, signs, 1e-12},
		{"exponential logarithm", func(*rand.Rand, int) memory.Memory { return &memory.Exponential{Log: true} }, signs, 1e-12},
		{"continuous", func(r *rand.Rand, _ int) memory.Memory {
			return &memory.Continuous{Beta: math.Exp(3 * r.NormFloat64())}
		}, reals, 1e-12},
		{"continuous at beta 0", func(r *rand.Rand, _ int) memory.Memory { return &memory.Continuous{} }, reals, 1e-12},
		{"synergetic", func(r *rand.Rand, _ int) memory.Memory { return &memory.Synergetic{Gamma: 1 - r.Float64()} }, spanned, 1e-12},
		{"synergetic at gamma 1", func(r *rand.Rand, _ int) memory.Memory { return &memory.Synergetic{Gamma: 1} }, spanned, 1e-12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			compared := 0
			for range cases {
				patterns, state := c.draw(random)
				m := store(t, c.new(random, len(state)), patterns)
				trace := must(memory.Retrieve(m, state, 12, 0))(t)
				size := 1.0
				for _, x := range append(patterns, state) {
					for _, v := range x {
						size = max(size, float64(len(x))*v*v)
					}
				}
				for i, step := range trace.Steps[1:] {
					if s, ok := m.(*memory.Synergetic); ok && norm(must(s.OrderParameters(trace.Steps[i].State))(t)) < math.Sqrt(0.5) {
						continue // the exception of TestSynergeticOvershoots
					}
					compared++
					if before := trace.Steps[i].Energy; step.Energy > before+c.tol*max(size, math.Abs(before)) {
						t.Fatalf("update %d of %T: energy %.17g after %.17g", i+1, m, step.Energy, before)
					}
				}
			}
			if compared < cases {
				t.Errorf("%d updates compared in %d cases", compared, cases)
			}
		})
	}
}

// TestSynchronousWithoutDiagonalCycles is the exception: without the diagonal, components that move at once can miss each
// other for ever, and the energy can rise on the way. With and without a bias, every retrieval ends in a fixed state or
// alternates between two. One component after another, it ends in a fixed state.
func TestSynchronousWithoutDiagonalCycles(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, biased := range []bool{false, true} {
		rises, cycles, fixed := 0, 0, 0
		for range 500 {
			d := 8 + random.IntN(20)
			m := &memory.Hopfield{ZeroDiagonal: true, Synchronous: true}
			if biased {
				m.Bias = normal(random, 1, d, 2)[0]
			}
			store(t, m, memory.RandomSigns(6, d, random))
			start := memory.RandomSigns(1, d, random)[0]
			trace := must(memory.Retrieve(m, start, 200, 0))(t)
			for i, step := range trace.Steps[1:] {
				if step.Energy > trace.Steps[i].Energy {
					rises++
				}
			}
			if trace.Fixed {
				fixed++
			} else if slices.Equal(trace.Last(), trace.Steps[len(trace.Steps)-3].State) {
				cycles++
			}
			m.Synchronous = false
			if !must(memory.Retrieve(m, start, 200, 0))(t).Fixed {
				t.Fatal("one component after another, and no fixed state")
			}
		}
		if rises == 0 || cycles == 0 || fixed == 0 || cycles+fixed != 500 {
			t.Errorf("bias %v: energies rose %d times; %d of 500 retrievals alternate between two states and %d are fixed", biased, rises, cycles, fixed)
		}
	}
}

// TestSynergeticOvershoots is the other exception: below ‖ξ‖² = ½ an update of equation 7 can pass its aim, just below
// it with many equal order parameters at γ = 1, and above it not.
func TestSynergeticOvershoots(t *testing.T) {
	const n = 400
	change := func(square float64) float64 {
		identity := make([][]float64, n)
		state := make([]float64, n)
		for i := range identity {
			identity[i] = make([]float64, n)
			identity[i][i], state[i] = 1, math.Sqrt(square/n)
		}
		m := store(t, &memory.Synergetic{Gamma: 1}, identity)
		trace := must(memory.Retrieve(m, state, 1, 0))(t)
		return trace.Steps[1].Energy - trace.Steps[0].Energy
	}
	if below, above := change(0.45), change(0.5); !(below > 0 && above <= 0) {
		t.Errorf("the energy changes by %g from ‖ξ‖² = 0.45 and by %g from 0.5", below, above)
	}
}

// TestPolynomialOfPowerTwo: power 2 is the classical network.
func TestPolynomialOfPowerTwo(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for range 2000 {
		d := 1 + random.IntN(30)
		patterns := memory.RandomSigns(1+random.IntN(d), d, random)
		polynomial := store(t, &memory.Polynomial{Power: 2}, patterns)
		classical := store(t, &memory.Hopfield{ZeroDiagonal: true}, patterns)
		full := store(t, &memory.Hopfield{}, patterns)
		state := memory.RandomSigns(1, d, random)[0]
		if a, b := must(polynomial.Update(state))(t), must(classical.Update(state))(t); !slices.Equal(a, b) {
			t.Fatalf("updates to %v and %v", a, b)
		}
		a, b, c := must(polynomial.Energy(state))(t), must(full.Energy(state))(t), must(classical.Energy(state))(t)
		// Without the diagonal the energy is less by ½ Σ w_ii = ½ N d.
		if a != 2*b || b != c-float64(len(patterns)*d)/2 {
			t.Fatalf("energies %g, %g and %g", a, b, c)
		}
	}
}

// TestFlipsAreIncremental: updates that keep the products are those that compute two energies for each component.
func TestFlipsAreIncremental(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	compared := 0 // components of the exponential memory
	for i := range 1000 {
		d := 2 + random.IntN(40)
		patterns := memory.RandomSigns(1+random.IntN(60), d, random)
		state := memory.RandomSigns(1, d, random)[0]
		for _, synchronous := range []bool{false, true} {
			for _, m := range []memory.Memory{
				&memory.Polynomial{Power: 2 + i%4, Synchronous: synchronous},
				&memory.Exponential{Synchronous: synchronous},
			} {
				store(t, m, patterns)
				got, want := must(m.Update(state))(t), slices.Clone(state)
				for l := range d {
					from := slices.Clone(want)
					if synchronous {
						from = slices.Clone(state)
					}
					from[l] = 1
					plus := must(m.Energy(from))(t)
					from[l] = -1
					minus := must(m.Energy(from))(t)
					switch m.(type) {
					case *memory.Exponential:
						if math.Abs(minus-plus) < 1e-12*math.Abs(minus+plus) {
							want[l] = got[l] // rounding decides; see TestTies
							continue
						}
						compared++
					}
					if minus != plus {
						want[l] = math.Copysign(1, minus-plus)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%T, synchronous %v: %v, want %v", m, synchronous, got, want)
				}
			}
		}
	}
	if compared < 30000 {
		t.Errorf("%d components of the exponential memory compared", compared)
	}
}

// TestTies: a component whose two energies are equal stays as it is. Here the patterns are two that differ in component
// 0 alone, and many whose terms cancel in pairs, in an order that leaves rounding behind.
func TestTies(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	for i := range 600 {
		d := 12
		if i >= 500 {
			d = 102 // where powers are beyond 2⁵³, and rounded
		}
		rest := memory.RandomSigns(20, d-1, random)
		var patterns [][]float64
		for _, x := range rest {
			patterns = append(patterns, append([]float64{1}, x...), append([]float64{-1}, x...))
		}
		random.Shuffle(len(patterns), func(i, j int) { patterns[i], patterns[j] = patterns[j], patterns[i] })
		for _, first := range []float64{1, -1} {
			state := append([]float64{first}, rest[0]...)
			for _, m := range []memory.Memory{&memory.Hopfield{}, &memory.Hopfield{ZeroDiagonal: true}, &memory.Polynomial{Power: 3}, &memory.Polynomial{Power: 20}, &memory.Exponential{}} {
				store(t, m, patterns)
				if got := must(m.Update(state))(t); got[0] != first {
					t.Fatalf("%T: a tie moved from %g to %g", m, first, got[0])
				}
			}
		}
	}
}

// TestPolynomialBeyondExact: where powers are rounded, components become what whole numbers of any size say; of those that
// are no tie, none is near enough to one for rounding to matter.
func TestPolynomialBeyondExact(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	power := func(z float64) *big.Int { return new(big.Int).Exp(big.NewInt(int64(z)), big.NewInt(20), nil) }
	flipped := 0
	for range 50 {
		d := 30 + random.IntN(60)
		patterns, state := memory.RandomSigns(1+random.IntN(40), d, random), memory.RandomSigns(1, d, random)[0]
		m := store(t, &memory.Polynomial{Power: 20, Synchronous: true}, patterns)
		next := must(m.Update(state))(t)
		for l := range state {
			difference := new(big.Int)
			for _, x := range patterns {
				others := floats.Dot(x, state) - x[l]*state[l]
				difference.Add(difference, power(others+x[l]))
				difference.Sub(difference, power(others-x[l]))
			}
			want := float64(difference.Sign())
			if want == 0 {
				want = state[l]
			}
			if next[l] != want {
				t.Fatalf("component %d of %d becomes %g, want %g", l, d, next[l], want)
			}
			if next[l] != state[l] {
				flipped++
			}
		}
	}
	if flipped < 500 {
		t.Errorf("%d components flipped", flipped)
	}
}

// TestExponentialBeyondRange: patterns of more components than energies without Log have room for come back with it.
func TestExponentialBeyondRange(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 1))
	const d = 1500
	patterns := memory.RandomSigns(6, d, random)
	requireError(t, "without Log", new(memory.Exponential).Store(patterns), "set Log")
	for _, synchronous := range []bool{false, true} {
		m := store(t, &memory.Exponential{Log: true, Synchronous: synchronous}, patterns)
		trace := must(memory.Retrieve(m, must(memory.Flip(patterns[2], 0.3, random))(t), 10, 0))(t)
		if !slices.Equal(trace.Last(), patterns[2]) || updates(trace) != 2 || !trace.Fixed {
			t.Fatalf("synchronous %v: the pattern is not there after %d updates", synchronous, updates(trace))
		}
		// The other products are smaller by hundreds.
		if energy := trace.Steps[2].Energy; energy != -d {
			t.Errorf("synchronous %v: energy %g, want %d", synchronous, energy, -d)
		}
	}
}

// TestRetrieve: retrieval ends at a fixed state or at the count, and its trace has every step.
func TestRetrieve(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	binary := memory.RandomSigns(3, 64, random)
	real := normal(random, 3, 64, 1)
	for _, c := range []struct {
		m         memory.Memory
		patterns  [][]float64
		tolerance float64
	}{
		{&memory.Hopfield{}, binary, 0},
		{&memory.Hopfield{Synchronous: true}, binary, 0},
		{&memory.Polynomial{Power: 3}, binary, 0},
		{&memory.Exponential{}, binary, 0},
		{&memory.Continuous{Beta: 1}, real, 1e-12},
		{&memory.Synergetic{Gamma: 1}, real, 1e-12},
	} {
		t.Run(fmt.Sprintf("%T", c.m), func(t *testing.T) {
			store(t, c.m, c.patterns)
			for _, x := range c.patterns {
				if trace := must(memory.Retrieve(c.m, x, 100, c.tolerance))(t); !trace.Fixed || updates(trace) != 1 {
					t.Errorf("a pattern is fixed: %v, after %d updates", trace.Fixed, updates(trace))
				}
			}
			cue := slices.Clone(c.patterns[1])
			for l := range 12 {
				cue[l] = -cue[l]
			}
			given := slices.Clone(cue)
			trace := must(memory.Retrieve(c.m, cue, 200, c.tolerance))(t)
			if !slices.Equal(cue, given) {
				t.Error("the cue was changed")
			}
			requireClose(t, "retrieved", trace.Last(), c.patterns[1], 1e-9)
			if !trace.Fixed || updates(trace) < 2 || len(trace.Steps) != updates(trace)+1 {
				t.Errorf("fixed %v after %d updates with %d steps", trace.Fixed, updates(trace), len(trace.Steps))
			}
			for i, step := range trace.Steps {
				if energy := must(c.m.Energy(step.State))(t); energy != step.Energy {
					t.Errorf("step %d has energy %g, its state %g", i, step.Energy, energy)
				}
				if i > 0 {
					if next := must(c.m.Update(trace.Steps[i-1].State))(t); !slices.Equal(next, step.State) {
						t.Errorf("step %d is not an update of the step before", i)
					}
				}
			}
			short := must(memory.Retrieve(c.m, cue, 1, c.tolerance))(t)
			if short.Fixed || updates(short) != 1 || !slices.Equal(short.Last(), trace.Steps[1].State) {
				t.Errorf("with one update allowed: fixed %v after %d", short.Fixed, updates(short))
			}
			if none := must(memory.Retrieve(c.m, cue, 0, c.tolerance))(t); updates(none) != 0 || !slices.Equal(none.Last(), cue) {
				t.Errorf("with no update allowed: %d updates", updates(none))
			}
		})
	}
}
