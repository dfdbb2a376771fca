package memory_test

import (
	"math"
	"slices"
	"testing"

	"synpool/course/memory"
	"synpool/internal/goldenfile"
)

// requireClose wants values within tolerance of want, relative to the larger of 1 and their size.
func requireClose(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
			t.Fatalf("%s: value %d is %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

// must returns v, or fails the test.
func must[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// store stores patterns, or fails the test.
func store[M memory.Memory](t testing.TB, m M, patterns [][]float64) M {
	t.Helper()
	if err := m.Store(patterns); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGoldenMemories compares energies and updates with float64 NumPy, which computes each from its formula. Updates of
// ±1 must be equal; sums in another order leave 1e-12 of the others, five updates through a pseudo-inverse 1e-11.
func TestGoldenMemories(t *testing.T) {
	type memoryCase struct {
		Memory                                 string
		Patterns                               [][]float64
		State, Bias, Synchronous, Asynchronous []float64
		Weights, Update, Five                  []float64
		Energy                                 float64
		Log                                    float64 `json:"log_energy"`
		ZeroDiagonal                           bool    `json:"zero_diagonal"`
		Power                                  int
		Beta, Gamma                            float64
	}
	seen := map[string]int{}
	for i, c := range goldenfile.Read[[]memoryCase](t, "golden/memories.json") {
		seen[c.Memory]++
		var m, synchronous memory.Memory
		var order func([]float64) ([]float64, error)
		switch c.Memory {
		case "hopfield":
			m = &memory.Hopfield{Bias: c.Bias, ZeroDiagonal: c.ZeroDiagonal}
			synchronous = &memory.Hopfield{Bias: c.Bias, ZeroDiagonal: c.ZeroDiagonal, Synchronous: true}
		case "polynomial":
			m, synchronous = &memory.Polynomial{Power: c.Power}, &memory.Polynomial{Power: c.Power, Synchronous: true}
		case "exponential":
			m, synchronous = &memory.Exponential{}, &memory.Exponential{Synchronous: true}
		case "continuous":
			continuous := &memory.Continuous{Beta: c.Beta}
			m, order = continuous, continuous.OrderParameters
		case "synergetic":
			synergetic := &memory.Synergetic{Gamma: c.Gamma}
			m, order = synergetic, synergetic.OrderParameters
		default:
			t.Fatalf("case %d: a memory %q", i, c.Memory)
		}
		store(t, m, c.Patterns)
		what := func(s string) string { return c.Memory + " " + s }
		requireClose(t, what("energy"), []float64{must(m.Energy(c.State))(t)}, []float64{c.Energy}, 1e-12)
		if c.Memory == "exponential" {
			m := store(t, &memory.Exponential{Log: true}, c.Patterns)
			requireClose(t, what("logarithm"), []float64{must(m.Energy(c.State))(t)}, []float64{c.Log}, 1e-12)
		}
		update := must(m.Update(c.State))(t)
		if synchronous != nil {
			store(t, synchronous, c.Patterns)
			if !slices.Equal(update, c.Asynchronous) {
				t.Errorf("case %d, %s: %v, want %v", i, what("asynchronous update"), update, c.Asynchronous)
			}
			if got := must(synchronous.Update(c.State))(t); !slices.Equal(got, c.Synchronous) {
				t.Errorf("case %d, %s: %v, want %v", i, what("synchronous update"), got, c.Synchronous)
			}
			continue
		}
		requireClose(t, what("order parameters"), must(order(c.State))(t), c.Weights, 1e-12)
		requireClose(t, what("update"), update, c.Update, 1e-12)
		if c.Five != nil {
			trace := must(memory.Retrieve(m, c.State, 5, 0))(t)
			requireClose(t, what("five updates"), trace.Last(), c.Five, 1e-11)
		}
	}
	for _, name := range []string{"hopfield", "polynomial", "exponential", "continuous", "synergetic"} {
		if seen[name] == 0 {
			t.Errorf("no case of %s", name)
		}
	}
}

// TestGoldenSteps compares steps forward and back with 50 digits, the inverse being equation 11 as printed, which is
// another formula. Twelve steps amplify rounding at most by the growth of f's slope: 1e-12.
func TestGoldenSteps(t *testing.T) {
	for _, c := range goldenfile.Read[[]struct {
		Gamma        float64
		Steps        int
		Weights, Out []float64
	}](t, "golden/steps.json") {
		order := c.Weights
		for range max(c.Steps, -c.Steps) {
			if c.Steps > 0 {
				order = must(memory.Syn{Gamma: c.Gamma}.Forward(order))(t)
			} else {
				order = must(memory.Syn{Gamma: c.Gamma}.Inverse(order))(t)
			}
		}
		for i, want := range c.Out {
			if math.Abs(order[i]-want) > max(1e-12*math.Abs(want), 1e-300) {
				t.Errorf("gamma %g, %d steps: order parameter %d is %.17g, want %.17g", c.Gamma, c.Steps, i, order[i], want)
			}
		}
	}
}

// attentionCase is a case of attention.json.
type attentionCase struct {
	Heads                     int
	Query, Key, Value, Output [][]float64
	QueryBias                 []float64 `json:"query_bias"`
	KeyBias                   []float64 `json:"key_bias"`
	ValueBias                 []float64 `json:"value_bias"`
	OutputBias                []float64 `json:"output_bias"`
	States, Patterns, Z       [][]float64
	Weights                   [][][]float64
}

func (a attentionCase) layer() memory.Attention {
	return memory.Attention{
		Heads: a.Heads, Beta: 1 / math.Sqrt(float64(len(a.Key[0])/a.Heads)),
		Query: memory.Linear{Weights: a.Query, Bias: a.QueryBias}, Key: memory.Linear{Weights: a.Key, Bias: a.KeyBias},
		Value: memory.Linear{Weights: a.Value, Bias: a.ValueBias}, Output: memory.Linear{Weights: a.Output, Bias: a.OutputBias},
	}
}

// TestGoldenAttention: with β = 1/√d_k the continuous memory between projections is PyTorch's multi-head attention with
// the same weights, to 1e-12.
func TestGoldenAttention(t *testing.T) {
	self := 0
	for _, c := range goldenfile.Read[[]attentionCase](t, "golden/attention.json") {
		z, weights, err := c.layer().Associate(c.States, c.Patterns)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.Z {
			requireClose(t, "z", z[i], c.Z[i], 1e-12)
			for h := range c.Heads {
				requireClose(t, "weights", weights[h][i], c.Weights[h][i], 1e-12)
			}
		}
		if slices.EqualFunc(c.States, c.Patterns, slices.Equal) {
			self++
		}
	}
	if self == 0 {
		t.Error("no case of self-attention")
	}
}
