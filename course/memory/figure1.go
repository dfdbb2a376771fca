package memory

import (
	"errors"
	"fmt"
	"slices"
)

// Figure1Case is one convergence case of figure 1 of the paper.
type Figure1Case struct {
	Name     string      // "a" to "h"; a to d are of the continuous memory, e to h of the synergetic network
	Title    string      // what it converges to
	Patterns [][]float64 // v
	Memory   Memory      // *Continuous or *Synergetic, with the patterns stored
	States   [][]float64 // x at every step
	Orders   [][]float64 // the order parameters at every step: softmax(β Vᵀx), or V⁺x
}

// Figure1 returns the eight cases of figure 1, each constructed from four explicit patterns, or three in case d. The order
// parameters of the synergetic network are iterated by equation 7 itself, since V⁺V is the identity; this avoids rounding
// through the patterns. Cases e, f and h end at limits, whose zeros float64 reaches by underflow.
func Figure1() ([]Figure1Case, error) {
	// v_i = e_5 + spread e_i: linearly independent, and more alike as spread gets smaller.
	alike := func(spread float64) [][]float64 {
		patterns := make([][]float64, 4)
		for i := range patterns {
			patterns[i] = []float64{0, 0, 0, 0, 1}
			patterns[i][i] = spread
		}
		return patterns
	}
	cases := []Figure1Case{
		{Name: "a", Title: "target: approximately one-hot", Patterns: alike(1), States: [][]float64{{0.7, 0.3, 0.1, 0, 0.8}}, Memory: &Continuous{Beta: 8}},
		{Name: "b", Title: "metastable: the mean of the patterns that are alike", Patterns: [][]float64{{2, 0.2, 0, 0, 0}, {2, 0, 0.2, 0, 0}, {0, 0, 0, 2, 0}, {0, 0, 0, 0, 2}}, States: [][]float64{{1.5, 0.3, 0, 0.4, 0.1}}, Memory: &Continuous{Beta: 4}},
		{Name: "c", Title: "globally stable: the mean of all patterns, which are alike", Patterns: alike(0.3), States: [][]float64{{0.9, 0.3, 0.1, 0, 0.8}}, Memory: &Continuous{Beta: 4}},
		// (1, 0, 0) is row 1 of V⁺: orthogonal to all patterns but the first, which is the farthest from it.
		{Name: "d", Title: "abnormal: the farthest pattern", Patterns: [][]float64{{1, 2.5, 1}, {0, 0.9, 0}, {0, 0.8, 0.6}}, States: [][]float64{{1, 0, 0}}, Memory: &Continuous{Beta: 2}},
	}
	for _, c := range []struct {
		name, title string
		order       []float64
	}{
		{"e", "target: strictly one-hot", []float64{0.7, 0.5, 0.3, 0.1}},
		{"f", "metastable: equal at the equal largest", []float64{0.7, 0.7, 0.3, 0.1}},
		{"g", "saddle: no update", []float64{0, 0, 0, 0}},
		{"h", "abnormal: a negative one-hot", []float64{0.3, -0.7, 0.5, 0.1}},
	} {
		m := &Synergetic{Gamma: 1}
		patterns := alike(0.3)
		if err := m.Store(patterns); err != nil {
			return nil, fmt.Errorf("case %s: %w", c.name, err)
		}
		start, err := m.State(c.order)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.name, err)
		}
		cases = append(cases, Figure1Case{Name: c.name, Title: c.title, Patterns: patterns, Memory: m, States: [][]float64{start}, Orders: [][]float64{c.order}})
	}
	for i := range cases {
		c := &cases[i]
		if err := c.run(); err != nil {
			return nil, fmt.Errorf("case %s: %w", c.Name, err)
		}
	}
	return cases, nil
}

// figureUpdates is more than any case needs: at gamma 1 each update halves the losing order parameters, or keeps three
// quarters of them, until they underflow.
const figureUpdates = 5000

func (c *Figure1Case) run() error {
	switch m := c.Memory.(type) {
	case *Continuous:
		if err := m.Store(c.Patterns); err != nil {
			return err
		}
		trace, err := Retrieve(m, c.States[0], figureUpdates, 1e-15)
		if err != nil {
			return err
		}
		c.States = nil
		for _, step := range trace.Steps {
			order, err := m.OrderParameters(step.State)
			if err != nil {
				return err
			}
			c.States, c.Orders = append(c.States, step.State), append(c.Orders, order)
		}
	case *Synergetic:
		for range figureUpdates {
			last := c.Orders[len(c.Orders)-1]
			order, err := m.Activate(last)
			if errors.Is(err, ErrZeroState) {
				return nil
			}
			if err != nil {
				return err
			}
			state, err := m.State(order)
			if err != nil {
				return err
			}
			c.States, c.Orders = append(c.States, state), append(c.Orders, order)
			if slices.Equal(last, order) {
				return nil
			}
		}
	}
	return nil
}
