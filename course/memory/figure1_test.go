package memory_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
)

// TestFigure1 checks what each of the eight cases ends in.
func TestFigure1(t *testing.T) {
	cases := map[string]memory.Figure1Case{}
	for _, c := range must(memory.Figure1())(t) {
		cases[c.Name] = c
		if len(c.States) != len(c.Orders) {
			t.Errorf("%s: %d states, %d order parameters", c.Name, len(c.States), len(c.Orders))
		}
		// The states are those that the memory itself leads to.
		for i := range min(10, len(c.States)-1) {
			requireClose(t, c.Name, must(c.Memory.Update(c.States[i]))(t), c.States[i+1], 1e-12)
		}
	}
	if len(cases) != 8 {
		t.Fatalf("%d cases, want 8", len(cases))
	}
	end := func(name string) []float64 { return cases[name].Orders[len(cases[name].Orders)-1] }
	state := func(name string) []float64 { return cases[name].States[len(cases[name].States)-1] }
	fixed := func(name string) { // to rounding
		t.Helper()
		requireClose(t, name+": an update of the end", must(cases[name].Memory.Update(state(name)))(t), state(name), 1e-14)
	}

	// a: near one-hot and not nearer, however long. With spread 1 and β = 8 the products with the state x = Vp are
	// 1 + p_i, so that the fixed point solves p_j = p_0 exp(−8(p_0−p_j)).
	fixed("a")
	p := end("a")
	if !(p[0] > 0.99 && p[0] < 1-1e-4) {
		t.Errorf("a: ends in %v, want approximately one-hot", p)
	}
	requireClose(t, "a", p[1:], slices.Repeat([]float64{p[0] * math.Exp(-8*(p[0]-p[1]))}, 3), 1e-12)

	// b: the two that are alike share the weight, and the state is their mean.
	fixed("b")
	patterns := cases["b"].Patterns
	requireClose(t, "b", end("b"), []float64{0.5, 0.5, 0, 0}, 1e-6)
	requireClose(t, "b", state("b"), []float64{(patterns[0][0] + patterns[1][0]) / 2, 0.1, 0.1, 0, 0}, 1e-6)

	// c: all weights are 1/N and the state is the mean of all, from every start.
	fixed("c")
	requireClose(t, "c", end("c"), []float64{0.25, 0.25, 0.25, 0.25}, 1e-12)
	for _, start := range append(slices.Clone(cases["c"].Patterns), make([]float64, 5), []float64{-9, 9, 3, 0, 7}) {
		requireClose(t, "c", must(memory.Retrieve(cases["c"].Memory, start, 200, 1e-15))(t).Last(), state("c"), 1e-12)
	}

	// d: row 1 of V⁺ is orthogonal to all patterns but the first, which is the farthest from it, the others at
	// distances of their own, and much like the others; the state ends there.
	fixed("d")
	network := store(t, &memory.Synergetic{Gamma: 1}, cases["d"].Patterns)
	for j, v := range cases["d"].Patterns {
		product := floats.Dot(v, cases["d"].States[0])
		if (j == 0) != (math.Abs(product) > 1e-12) {
			t.Errorf("d: product %g with pattern %d", product, j)
		}
		if j > 0 && floats.Distance(v, cases["d"].States[0], 2) >= floats.Distance(cases["d"].Patterns[0], cases["d"].States[0], 2) {
			t.Errorf("d: pattern %d is as far as the first", j)
		}
		if cosine := floats.Dot(v, cases["d"].Patterns[0]) / norm(v) / norm(cases["d"].Patterns[0]); cosine < 0.85 {
			t.Errorf("d: pattern %d has cosine %g with the first", j, cosine)
		}
		// The start is the first row of V⁺: V⁺ v_j is e_j, and the products with it are e_1's.
		order := must(network.OrderParameters(v))(t)
		for i, x := range order {
			if want := 1 - min(1, math.Abs(float64(i-j))); math.Abs(x-want) > 1e-12 {
				t.Errorf("d: order parameters %v of pattern %d", order, j)
			}
		}
	}
	requireClose(t, "d", end("d"), []float64{1, 0, 0}, 1e-4)

	// e and h: strictly one-hot, by the largest magnitude and with its sign.
	for name, want := range map[string][]float64{"e": {1, 0, 0, 0}, "h": {0, -1, 0, 0}} {
		if !slices.Equal(end(name), want) {
			t.Errorf("%s: ends in %v, want exactly %v", name, end(name), want)
		}
		for l, x := range state(name) {
			if pattern := cases[name].Patterns[slices.IndexFunc(want, func(w float64) bool { return w != 0 })]; math.Abs(x) != pattern[l] {
				t.Errorf("%s: ends in the state %v", name, state(name))
			}
		}
		fixed(name)
	}
	// f: the two that are equal and largest stay equal, at 1/√(2·2−1).
	if f := end("f"); f[0] != f[1] || math.Abs(f[0]-1/math.Sqrt(3)) > 1e-15 || f[2] != 0 || f[3] != 0 {
		t.Errorf("f: ends in %v", f)
	}
	if c := cases["g"]; len(c.Orders) != 1 {
		t.Errorf("g: %d steps, want no update", len(c.Orders))
	}
}
