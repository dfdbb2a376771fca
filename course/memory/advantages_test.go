package memory_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
	"synpool/internal/large"
)

// The tests of this file are the claims of the paper's comparison of the modern Hopfield network (MHNN) with the
// synergetic network (SNN).

// units returns n random patterns of d components, of length 1.
func units(random *rand.Rand, n, d int) [][]float64 {
	patterns := normal(random, n, d, 1)
	for _, x := range patterns {
		floats.Scale(1/norm(x), x)
	}
	return patterns
}

// activate iterates the order parameters alone.
func activate(t *testing.T, s memory.Synergetic, order []float64, updates int) [][]float64 {
	t.Helper()
	trace := [][]float64{order}
	for range updates {
		order = must(s.Activate(order))(t)
		trace = append(trace, order)
	}
	return trace
}

// winner returns the index of the largest magnitude.
func winner(x []float64) int {
	best := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[best]) {
			best = i
		}
	}
	return best
}

// TestRecallEfficiency: MHNN (i). On the same patterns and cues MHNN is within 0.1 % of a pattern, of length 1, after one or
// two updates, SNN at its fastest, γ = 1, after several times as many: five to seven.
func TestRecallEfficiency(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const updates = 400
	for range 100 {
		patterns := units(random, 10, 60)
		cue := must(memory.AddNoise(patterns[3], 0.02, random))(t)
		count := func(m memory.Memory) int {
			trace := must(memory.Retrieve(store(t, m, patterns), cue, updates, 0))(t)
			return slices.IndexFunc(trace.Steps, func(s memory.Step) bool { return floats.Distance(s.State, patterns[3], 2) < 0.001 })
		}
		hopfield, synergetic := count(&memory.Continuous{Beta: 40}), count(&memory.Synergetic{Gamma: 1})
		if hopfield < 1 || hopfield > 2 || synergetic < 5 || synergetic > 7 {
			t.Fatalf("%d updates of MHNN and %d of SNN", hopfield, synergetic)
		}
	}
}

// TestMoreMemoriesThanDimensions: MHNN (iii). From cues with a tenth of the components flipped MHNN brings 2^(d/4) random
// patterns of d components back, a number that is exponential in d and soon larger than it, SNN cannot store them.
func TestMoreMemoriesThanDimensions(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for _, d := range []int{32, 40, 48} {
		patterns := memory.RandomSigns(1<<(d/4), d, random)
		cues := make([][]float64, 250)
		for i, x := range patterns[:250] {
			cues[i] = must(memory.Flip(x, 0.1, random))(t)
		}
		m := store(t, &memory.Continuous{Beta: 10}, patterns)
		recall := must(memory.MeasureRecall(m, patterns, cues, 10, 0.01))(t)
		if recall.FailedPatterns > 0.01 || recall.Nearest < 0.99 || recall.Updates < 2 {
			t.Errorf("%d patterns of %d components: %+v", len(patterns), d, recall)
		}
		requireError(t, "SNN", (&memory.Synergetic{Gamma: 1}).Store(patterns), "at most as many patterns as components")
		if err := (&memory.Synergetic{Gamma: 1}).Store(units(random, d, d)); err != nil {
			t.Errorf("SNN does not store as many patterns as components: %v", err)
		}
	}
}

// TestExactOneHot: SNN (i). The limit of SNN's order parameters is strictly one-hot. In exact arithmetic no update reaches
// it; in float64 the losing ones underflow to 0, and then the state is bit-identical to a pattern. MHNN's stay at the
// distance predicted by theory, which more updates do not change.
func TestExactOneHot(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for range 200 {
		patterns := units(random, 6, 10)
		order := []float64{0.9, 0.5, -0.3, 0.2, 0, 0.6}
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		s := store(t, &memory.Synergetic{Gamma: 1}, patterns)
		trace := activate(t, *s, order, 1300)
		last, i := trace[len(trace)-1], winner(order)
		// 200 updates leave what halving does: more than nothing, and no one-hot.
		for j, x := range trace[200] {
			if j != i && order[j] != 0 && !(math.Abs(x) > 1e-70 && math.Abs(x) < 1e-50) {
				t.Fatalf("after 200 updates SNN is at %v", trace[200])
			}
		}
		for j, x := range last {
			if want := float64(1 - min(1, max(i-j, j-i))); x != want {
				t.Fatalf("SNN ends in %v", last)
			}
		}
		if state := must(s.State(last))(t); !slices.Equal(state, patterns[i]) {
			t.Fatalf("SNN ends in the state %v, not in %v", state, patterns[i])
		}

		const beta = 12
		m := store(t, &memory.Continuous{Beta: beta}, patterns)
		end := must(memory.Retrieve(m, patterns[i], 2000, 1e-16))(t).Last()
		weights := must(m.OrderParameters(end))(t)
		more := must(m.OrderParameters(must(memory.Retrieve(m, end, 2000, 0))(t).Last()))(t)
		missing := 1 - weights[winner(weights)]
		if !(missing > 1e-9) || math.Abs(1-more[winner(more)]-missing) > 1e-12 {
			t.Fatalf("MHNN misses one-hot by %g, after more updates by %g", missing, 1-more[winner(more)])
		}
		for j, w := range weights { // p_j/p_i = exp(−β (v_i−v_j)ᵀx)
			if want := weights[winner(weights)] * math.Exp(beta*(floats.Dot(patterns[j], end)-floats.Dot(patterns[winner(weights)], end))); math.Abs(w-want) > 1e-12 {
				t.Fatalf("MHNN has weight %g of pattern %d, want %g", w, j, want)
			}
		}
	}
}

// TestControllableDirection: SNN (ii). From order parameters 0, and from equal largest ones, SNN does not reach a
// pattern, and a bias of any size on one of them leads to that pattern. MHNN goes to the same state whatever the bias if
// all patterns are alike, to the mean of those that are, and reaches a pattern only after the patterns are made different.
func TestControllableDirection(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	for range large.Number(30, 100) {
		const n, d = 5, 9
		centre := append(make([]float64, n), normal(random, 1, d-n, 1)[0]...)
		patterns := normal(random, n, d, 0.02)
		for _, x := range patterns {
			floats.Add(x, centre)
		}
		i, bias := random.IntN(n), math.Pow(10, -8*random.Float64())
		s := store(t, &memory.Synergetic{Gamma: 0.6}, patterns)
		for name, order := range map[string][]float64{"zero": make([]float64, n), "equal": slices.Repeat([]float64{0.8}, n)} {
			if name == "zero" {
				if _, err := s.Activate(order); !errors.Is(err, memory.ErrZeroState) {
					t.Fatalf("an update from 0: %v", err)
				}
			} else {
				trace := activate(t, *s, order, 200)
				if last := trace[len(trace)-1]; floats.Min(last) != floats.Max(last) {
					t.Fatalf("equal order parameters become %v", last)
				}
			}
			order[i] += bias
			trace := activate(t, *s, order, 4000)
			last := trace[len(trace)-1]
			state := must(s.State(last))(t)
			requireClose(t, name+" with a bias", state, patterns[i], 1e-13)
		}

		ends := func(patterns [][]float64, order []float64) []float64 {
			m := store(t, &memory.Continuous{Beta: 3}, patterns)
			start := must(store(t, &memory.Synergetic{Gamma: 1}, patterns).State(order))(t)
			return must(memory.Retrieve(m, start, 500, 1e-15))(t).Last()
		}
		order := slices.Repeat([]float64{0.2}, n)
		unbiased := ends(patterns, order)
		order[i] += 1
		requireClose(t, "alike patterns of MHNN with a bias", ends(patterns, order), unbiased, 1e-10)
		mean := make([]float64, d)
		for _, x := range patterns {
			floats.AddScaled(mean, 1./n, x)
		}
		if far := floats.Distance(unbiased, mean, 2); far > 0.02 {
			t.Fatalf("MHNN ends at %g from the mean of its patterns", far)
		}
		// Every pattern moved away from the others, along an axis of its own.
		for j, x := range patterns {
			x[j] += 3
		}
		if far := floats.Distance(ends(patterns, order), patterns[i], 2); far > 0.02 {
			t.Fatalf("with different patterns MHNN ends at %g from the biased one", far)
		}
	}
}

// TestIndependenceFromPatterns: SNN (iii). The course of the order parameters depends on their start alone: it is the same
// for alike patterns as for orthogonal ones. That of MHNN depends on the patterns.
func TestIndependenceFromPatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 1))
	order := []float64{0.5, 0.7, -0.2, 0.1}
	course := func(m memory.Memory, patterns [][]float64) (all []float64) {
		s := store(t, &memory.Synergetic{Gamma: 0.9}, patterns)
		store(t, m, patterns)
		state := must(s.State(order))(t)
		for range 30 {
			if state = must(m.Update(state))(t); len(state) == 0 {
				t.Fatal("no state")
			}
			all = append(all, must(s.OrderParameters(state))(t)...)
		}
		return all
	}
	var synergetic, hopfield [][]float64
	for _, alike := range []float64{0, 0.5, 0.9, 0.99} {
		patterns := units(random, 4, 12)
		for _, x := range patterns { // cosines of about alike
			floats.Scale(math.Sqrt(1-alike), x)
			x[11] += math.Sqrt(alike)
		}
		synergetic = append(synergetic, course(&memory.Synergetic{Gamma: 0.9}, patterns))
		hopfield = append(hopfield, course(&memory.Continuous{Beta: 6}, patterns))
		// The rounding of V⁺V, times its growth by 30 updates.
		requireClose(t, "order parameters of SNN", synergetic[len(synergetic)-1], synergetic[0], 1e-10)
	}
	if far := floats.Distance(hopfield[0][len(hopfield[0])-4:], hopfield[3][len(hopfield[3])-4:], 2); far < 0.5 {
		t.Errorf("the order parameters of MHNN end at %g from each other", far)
	}
}
