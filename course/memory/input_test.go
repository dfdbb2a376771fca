package memory_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"synpool/course/memory"
)

// each has one memory of each kind.
func each() map[string]memory.Memory {
	return map[string]memory.Memory{
		"hopfield": &memory.Hopfield{}, "polynomial": &memory.Polynomial{Power: 3}, "exponential": &memory.Exponential{},
		"continuous": &memory.Continuous{Beta: 1}, "synergetic": &memory.Synergetic{Gamma: 1},
	}
}

// requireError wants an error of one line with want in it.
func requireError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %v, want an error of one line with %q", what, err, want)
	}
}

// failure is an error, and what it must say.
type failure struct {
	err  error
	want string
}

// failed returns the error of a call that returns a value as well.
func failed[T any](_ T, err error) error { return err }

// requireErrors wants each error to be of one line, and to say what it must.
func requireErrors(t *testing.T, failures ...failure) {
	t.Helper()
	for _, f := range failures {
		requireError(t, "error", f.err, f.want)
	}
}

// TestBadInputs: every memory refuses what it cannot hold, and says why.
func TestBadInputs(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, m := range each() {
		t.Run(name, func(t *testing.T) {
			requireErrors(t, failure{failed(m.Energy([]float64{1, 1})), "call Store first"}, failure{failed(m.Update([]float64{1, 1})), "call Store first"},
				failure{m.Store(nil), "no patterns"},
				failure{m.Store([][]float64{{}}), "no patterns"},
				failure{m.Store([][]float64{{1, -1, 1}, {1, -1}}), "pattern 1 has 2 components, not 3"},
				failure{m.Store([][]float64{{1, -1}, {1, nan}}), "component 1 of pattern 1 is NaN"},
				failure{m.Store([][]float64{{1, -inf}}), "component 1 of pattern 0 is -Inf"})
			binary := name == "hopfield" || name == "polynomial" || name == "exponential"
			if binary {
				requireError(t, "not ±1", m.Store([][]float64{{1, -1}, {0.5, 1}}), "component 0 of pattern 1 is 0.5; this memory has components of +1 and -1")
			}
			store(t, m, [][]float64{{1, -1, 1}, {1, 1, -1}})
			for want, state := range map[string][]float64{
				"has 2 components, not 3": {1, 1}, "has 0 components, not 3": nil, "component 1 of": {1, nan, 1}, "component 2 of": {1, 1, inf},
			} {
				requireErrors(t, failure{failed(m.Update(state)), want}, failure{failed(m.Energy(state)), want}, failure{failed(memory.Retrieve(m, state, 3, 0)), want})
			}
			if binary {
				requireError(t, "not ±1", failed(m.Update([]float64{1, 0, 1})), "component 1 of the state is 0")
			}
			requireErrors(t, failure{failed(memory.Retrieve(m, []float64{1, -1, 1}, -1, 0)), "at most -1 updates"},
				failure{failed(memory.Retrieve(m, []float64{1, -1, 1}, 1, nan)), "tolerance NaN"})
			if trace := (memory.Trace{}); trace.Last() != nil {
				t.Error("an empty trace has a state")
			}
		})
	}
}

// TestBadSettings: what a memory cannot be.
func TestBadSettings(t *testing.T) {
	good := [][]float64{{1, -1, 1}, {1, 1, -1}}
	long := make([]float64, 1000)
	for i := range long {
		long[i] = 1
	}
	huge := [][]float64{{1e200, 1}, {1, 1e200}}
	requireErrors(t,
		failure{(&memory.Polynomial{Power: 1}).Store(good), "power 1"},
		failure{(&memory.Polynomial{Power: 400}).Store([][]float64{long}), "lower the power"},
		failure{(&memory.Exponential{}).Store([][]float64{long}), "set Log"},
		failure{(&memory.Continuous{Beta: -1}).Store(good), "inverse temperature -1"},
		failure{(&memory.Continuous{Beta: math.Inf(1)}).Store(good), "inverse temperature +Inf"},
		failure{(&memory.Continuous{Beta: 1}).Store(huge), "beyond the range of float64"},
		failure{(&memory.Synergetic{}).Store(good), "gamma 0"},
		failure{(&memory.Synergetic{Gamma: 1}).Store(huge), "beyond the range of float64"},
		failure{(&memory.Synergetic{Gamma: 1}).Store([][]float64{{1, 2}, {3, 4}, {5, 7}}), "3 patterns of 2 components; a synergetic network stores at most as many patterns as components"},
		failure{(&memory.Synergetic{Gamma: 1}).Store([][]float64{{1, 2, 3}, {2, 4, 6}}), "2 patterns of rank 1"},
		failure{(&memory.Synergetic{Gamma: 1}).Store([][]float64{{0, 0, 0}}), "1 patterns of rank 0"},
	)
	// Settings that are changed after Store.
	state := good[0]
	power := store(t, &memory.Polynomial{Power: 2}, good)
	power.Power = 3
	without, with := store(t, &memory.Hopfield{}, good), store(t, &memory.Hopfield{ZeroDiagonal: true}, good)
	without.ZeroDiagonal, with.ZeroDiagonal = true, false
	gamma, beta := store(t, &memory.Synergetic{Gamma: 1}, good), store(t, &memory.Continuous{Beta: 1}, good)
	gamma.Gamma, beta.Beta = 2, math.NaN()
	short, infinite := store(t, &memory.Hopfield{Bias: []float64{1}}, good), store(t, &memory.Hopfield{Bias: []float64{1, 1, math.Inf(1)}}, good)
	large := store(t, &memory.Hopfield{Bias: []float64{1e308, -1e308, 1e308}}, good)
	requireErrors(t,
		failure{failed(power.Update(state)), "call Store again"},
		failure{failed(short.Update(state)), "the bias has 1 components, not 3"}, failure{failed(infinite.Energy(state)), "component 2 of the bias is +Inf"},
		failure{failed(large.Energy(state)), "the energy is beyond the range of float64"},
		failure{failed(without.Update(state)), "call Store again"}, failure{failed(with.Energy(state)), "call Store again"},
		failure{failed(gamma.Update(state)), "gamma 2"},
		failure{failed(beta.Update(state)), "inverse temperature NaN"},
		failure{failed(new(memory.Synergetic).State([]float64{1})), "call Store first"},
		failure{failed(gamma.State([]float64{1})), "has 1 components, not 2"},
	)
}

// TestBadMeasures: what cannot be measured.
func TestBadMeasures(t *testing.T) {
	good := memory.CapacityConfig{Threshold: 0.1, Updates: 1, Draws: 1, Cues: memory.AllCues, Limit: 4}
	for what, c := range map[string]struct {
		spoil func(c *memory.CapacityConfig)
		want  string
	}{
		"draws":     {func(c *memory.CapacityConfig) { c.Draws = 0 }, "0 draws"},
		"limit":     {func(c *memory.CapacityConfig) { c.Limit = 0 }, "at most 0 patterns"},
		"cues":      {func(c *memory.CapacityConfig) { c.Cues = 0 }, "0 cues; give at least 1 of each, and AllCues for all"},
		"updates":   {func(c *memory.CapacityConfig) { c.Updates = -1 }, "at most -1 updates"},
		"criterion": {func(c *memory.CapacityConfig) { c.Criterion = 7 }, "the criterion 7"},
		"negative":  {func(c *memory.CapacityConfig) { c.Criterion = -1 }, "the criterion -1"},
		"threshold": {func(c *memory.CapacityConfig) { c.Threshold = math.NaN() }, "error NaN"},
		"reached":   {func(c *memory.CapacityConfig) {}, "raise Limit"},
	} {
		config := good
		c.spoil(&config)
		_, _, err := config.Capacity(&memory.Exponential{}, 30)
		requireError(t, what, err, c.want)
	}
	for _, c := range []struct{ n, d int }{{-1, 3}, {3, -1}, {0, 3}, {3, 0}} {
		if x := memory.RandomSigns(c.n, c.d, rand.New(rand.NewPCG(1, 1))); len(x) != 0 {
			t.Errorf("%d patterns of %d components are %v", c.n, c.d, x)
		}
	}
	capacity := func(m memory.Memory, d int) error {
		_, _, err := good.Capacity(m, d)
		return err
	}
	m, pattern, random := store(t, &memory.Hopfield{}, [][]float64{{1, -1}}), [][]float64{{1, -1}}, rand.New(rand.NewPCG(1, 1))
	recall := func(m memory.Memory, patterns, cues [][]float64, updates int, off float64) error {
		return failed(memory.MeasureRecall(m, patterns, cues, updates, off))
	}
	sweep := func(cues [][]float64, beta float64, updates int) error {
		return failed(memory.BetaSweep(pattern, cues, []float64{beta}, updates))
	}
	requireErrors(t,
		failure{capacity(&memory.Hopfield{}, 0), "patterns of 0 components"},
		failure{capacity(&memory.Polynomial{}, 10), "power 0"},
		failure{recall(m, pattern, nil, 1, 0), "cues of 1 patterns"}, failure{recall(m, pattern, [][]float64{{1, 1}, {1, -1}}, 1, 0), "cues of 1 patterns"},
		failure{sweep(nil, 1, 1), "cues of 1 patterns"}, failure{sweep([][]float64{{1, 1}, {1, -1}}, 1, 1), "cues of 1 patterns"},
		failure{recall(m, pattern, [][]float64{{1}}, 1, 0), "cue 0: memory: the state has 1 components, not 2"},
		// A memory of other patterns than are measured.
		failure{recall(m, [][]float64{{1, -1, 1}}, pattern, 1, 0), "cue 0: memory: the state has 2 components, not 3"},
		failure{recall(m, [][]float64{{1, -1, 1}}, [][]float64{{1, -1, 1}}, 1, 0), "cue 0: update 1: memory: the state has 3 components, not 2"},
		failure{recall(m, [][]float64{{1}}, pattern, 1, 0), "cue 0: memory: the state has 2 components, not 1"},
		failure{recall(m, pattern, pattern, -1, 0), "at most -1 updates"}, failure{recall(m, pattern, pattern, 1, math.NaN()), "tolerance NaN"},
		failure{recall(shrinking{}, pattern, pattern, 1, 0), "update 1: memory: it leads from 2 components to 1"},
		failure{failed(memory.Retrieve(shrinking{}, pattern[0], 1, 0)), "update 1: memory: it leads from 2 components to 1"},
		failure{sweep(pattern, -1, 1), "inverse temperature -1"}, failure{sweep(pattern, 1, -1), "at most -1 updates"},
		failure{sweep([][]float64{{1}}, 1, 0), "cue 0 at beta 1: memory: state 0 has 1 components, not 2"},
		failure{failed(memory.AddNoise([]float64{math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64, random)), "beyond the range of float64"},
		failure{failed(memory.AddNoise([]float64{1}, math.Inf(1), nil)), "standard deviation +Inf"},
		failure{failed(memory.Flip([]float64{1}, 2, nil)), "a share 2 of components"},
	)
}

// shrinking is a memory that keeps all but the last component.
type shrinking struct{ idle }

func (shrinking) Update(state []float64) ([]float64, error) { return state[:len(state)-1], nil }

// TestBadTheories: capacities and rates have a domain.
func TestBadTheories(t *testing.T) {
	requireErrors(t,
		failure{failed(memory.ClassicalCapacity(0)), "capacity of 0 components; give at least 1"},
		failure{failed(memory.PolynomialCapacity(1, 10, 0.1)), "power 1 of a polynomial memory; give 2 or more"},
		failure{failed(memory.PolynomialCapacity(2, 0, 0.1)), "capacity of 0 components; give at least 1"},
		failure{failed(memory.PolynomialCapacity(2, 10, 2)), "a share 2 of components wrong; give a number in (0, ½)"},
		failure{failed(memory.PolynomialCapacity(2, 10, 0.5)), "a share 0.5 of components wrong"},
		failure{failed(memory.PolynomialCapacity(2, 10, math.NaN())), "a share NaN of components wrong"},
		failure{failed(memory.PolynomialCapacity(400, 1_000_000, 0.1)), "beyond the range of float64"},
		failure{failed(memory.ExponentialCapacityAll(5000, 0.5)), "beyond the range of float64"},
		failure{failed(memory.ExponentialCapacityAll(10, 2)), "a share 2 of failed draws"},
		failure{failed(memory.ExponentialCapacityAll(10, 1)), "a share 1 of failed draws"},
		failure{failed(memory.ExponentialCapacityAll(0, 0.5)), "capacity of 0 components; give at least 1"},
		failure{failed(memory.Syn{Gamma: 2}.InverseRate(3)), "gamma 2"},
		failure{failed(memory.Syn{Gamma: 2}.ForwardRate(3)), "gamma 2"},
		failure{failed(memory.Syn{Gamma: 0.5}.InverseRate(0)), "rate of 0 equal order parameters"},
		failure{failed(memory.Syn{Gamma: 0.5}.ForwardRate(-1)), "rate of -1 equal order parameters"},
	)
}

// TestBadAttention: maps that do not fit.
func TestBadAttention(t *testing.T) {
	linear := func(in, out int) memory.Linear {
		return memory.Linear{Weights: normal(rand.New(rand.NewPCG(1, 1)), in, out, 1)}
	}
	good := memory.Attention{Heads: 2, Beta: 1, Query: linear(3, 4), Key: linear(3, 4), Value: linear(3, 6), Output: linear(6, 3)}
	x := [][]float64{{1, 2, 3}, {3, 2, 1}}
	if _, _, err := good.Associate(x, x); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		spoil            func(a *memory.Attention)
		states, patterns [][]float64
		want             string
	}{
		"heads":         {func(a *memory.Attention) { a.Heads = 3 }, x, x, "3 heads for keys of 4 columns"},
		"no heads":      {func(a *memory.Attention) { a.Heads = 0 }, x, x, "0 heads"},
		"value heads":   {func(a *memory.Attention) { a.Heads, a.Value = 4, linear(3, 6) }, x, x, "4 heads for values of 6 columns"},
		"beta":          {func(a *memory.Attention) { a.Beta = -1 }, x, x, "head 0: memory: inverse temperature -1"},
		"query rows":    {func(a *memory.Attention) { a.Query = linear(2, 4) }, x, x, "query map of 2 rows from 3 columns"},
		"query columns": {func(a *memory.Attention) { a.Query = linear(3, 6) }, x, x, "states are mapped to 6 columns and patterns to 4"},
		"ragged map":    {func(a *memory.Attention) { a.Key.Weights = [][]float64{{1}, {1, 2}, {3}} }, x, x, "row 1 of the key map has 2 components, not 1"},
		"empty map":     {func(a *memory.Attention) { a.Key.Weights = [][]float64{{}, {}, {}} }, x, x, "key map of 3 rows from 3 columns"},
		"bias":          {func(a *memory.Attention) { a.Output.Bias = []float64{1} }, x, x, "the output bias has 1 components, not 3"},
		"no patterns":   {func(a *memory.Attention) {}, x, nil, "no patterns"},
		"empty states":  {func(a *memory.Attention) {}, [][]float64{{}}, x, "no states"},
		"no states":     {func(a *memory.Attention) {}, nil, x, "no states"},
		"ragged states": {func(a *memory.Attention) {}, [][]float64{{1, 2, 3}, {1}}, x, "state 1 has 1 components, not 3"},
		"large":         {func(a *memory.Attention) {}, x, [][]float64{{1e308, 1e308, 1e308}}, "beyond the range of float64"},
	} {
		a := good
		c.spoil(&a)
		_, _, err := a.Associate(c.states, c.patterns)
		requireError(t, what, err, c.want)
	}
	// No maps at all: the memory itself.
	z, _, err := memory.Attention{Heads: 1, Beta: 2}.Associate(x, x)
	if err != nil {
		t.Fatal(err)
	}
	requireClose(t, "no maps", z[1], must(store(t, &memory.Continuous{Beta: 2}, x).Update(x[1]))(t), 1e-15)
}

// TestExtremes: numbers of any size lead to finite results or an error.
func TestExtremes(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	results := 0
	for range 3000 {
		n, d := 1+random.IntN(4), 1+random.IntN(5)
		draw := func(n int) [][]float64 {
			x := normal(random, n, d, 1)
			for i := range x {
				for l := range x[i] {
					x[i][l] *= math.Pow(10, 620*random.Float64()-310)
					if random.IntN(4) == 0 {
						x[i][l] = 0
					}
					x[i][l] = max(-math.MaxFloat64, min(math.MaxFloat64, x[i][l]))
				}
			}
			return x
		}
		patterns, state := draw(n), draw(1)[0]
		beta := math.Pow(10, 600*random.Float64()-300)
		for _, m := range []memory.Memory{
			&memory.Continuous{Beta: beta}, &memory.Continuous{},
			&memory.Synergetic{Gamma: 1 - random.Float64()},
		} {
			if m.Store(patterns) != nil {
				continue
			}
			trace, err := memory.Retrieve(m, state, 5, 0)
			for _, step := range trace.Steps {
				results++
				for _, v := range append([]float64{step.Energy}, step.State...) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%+v leads %v to %v (%v)", m, state, step, err)
					}
				}
			}
		}
	}
	for range 3000 {
		power, d := random.IntN(500)-5, int(math.Exp(43*random.Float64()))-3
		share := 3*random.Float64() - 1
		for name, f := range map[string]func() (float64, error){
			"classical":          func() (float64, error) { return memory.ClassicalCapacity(d) },
			"polynomial":         func() (float64, error) { return memory.PolynomialCapacity(power, d, share) },
			"exponential all":    func() (float64, error) { return memory.ExponentialCapacityAll(d, share) },
			"forward rate":       func() (float64, error) { return memory.Syn{Gamma: share}.ForwardRate(d) },
			"inverse rate":       func() (float64, error) { return memory.Syn{Gamma: share}.InverseRate(d) },
			"rate at small γ":    func() (float64, error) { return memory.Syn{Gamma: math.Exp(-700 * random.Float64())}.InverseRate(d) },
			"smallest share":     func() (float64, error) { return memory.PolynomialCapacity(2, d, 5e-324) },
			"share next to ½":    func() (float64, error) { return memory.PolynomialCapacity(2, d, math.Nextafter(0.5, 0)) },
			"all failed, nearly": func() (float64, error) { return memory.ExponentialCapacityAll(d, math.Nextafter(1, 0)) },
		} {
			if v, err := f(); math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || err != nil && v != 0 {
				t.Fatalf("%s of power %d, %d components and %g is %g (%v)", name, power, d, share, v, err)
			}
		}
		patterns := normal(random, 2, 2, math.Pow(10, 600*random.Float64()-300))
		cues := normal(random, 1, 2, math.Pow(10, 600*random.Float64()-300))
		points, _ := memory.BetaSweep(patterns, cues, []float64{0, math.Pow(10, 600*random.Float64()-300)}, random.IntN(2))
		for _, p := range points {
			results++
			for _, v := range []float64{p.SharedBy, p.ToOwn, p.ToMean, p.Updates, p.Fixed} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("patterns %v and cues %v lead to %+v", patterns, cues, p)
				}
			}
		}
		if r, err := memory.MeasureRecall(idle{}, patterns, cues, 1, 0.1); err == nil && (math.IsNaN(r.RMS) || math.IsInf(r.RMS, 0)) {
			t.Fatalf("patterns %v and cues %v lead to %+v", patterns, cues, r)
		}
	}
	if results < 500 {
		t.Errorf("%d results", results)
	}
}

// TestConcurrentUpdates: one memory updates many states at once; the race detector looks on.
func TestConcurrentUpdates(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	signs, reals := memory.RandomSigns(8, 30, random), units(random, 8, 30)
	for name, m := range each() {
		patterns := reals
		if name == "hopfield" || name == "polynomial" || name == "exponential" {
			patterns = signs
		}
		update := store(t, m, patterns).Update
		want := must(update(signs[3]))(t)
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				if got, err := update(signs[3]); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %v (%v), want %v", name, got, err, want)
				}
			})
		}
		group.Wait()
	}
}
