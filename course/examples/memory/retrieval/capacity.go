package retrieval

import (
	"fmt"

	"synpool/course/memory"
)

// CapacityRow is a measured capacity (the number of random patterns whose retrieval error is within a threshold) with the
// theoretical value.
type CapacityRow struct {
	Memory     string
	Components int
	Measure    string // kind of error and threshold
	Patterns   int    // measured capacity
	Theory     float64
	Share      float64 // Patterns/Theory
}

// Capacities measures memories of increasing dimension: the classical network until it is fixed, against 0.138 d; powers 2
// to 4 in one update, against α dᵃ⁻¹; and the exponential memory, against √(2 ln 2/d) 2^(d/2). With quick it takes seconds.
func Capacities(quick bool) ([]CapacityRow, error) {
	var table []CapacityRow
	add := func(m memory.Memory, measure string, c memory.CapacityConfig, theory func(d int) (float64, error), dimensions []int, most int) error {
		c.Limit, c.Seed = 1_000_000, 1
		for _, d := range dimensions {
			if quick && d > most {
				break
			}
			patterns, _, err := c.Capacity(m, d)
			if err != nil {
				return fmt.Errorf("%s: %w", name(m), err)
			}
			expected, err := theory(d)
			if err != nil {
				return fmt.Errorf("%s: %w", name(m), err)
			}
			table = append(table, CapacityRow{name(m), d, measure, patterns, expected, float64(patterns) / expected})
		}
		return nil
	}
	fixed := memory.CapacityConfig{Criterion: memory.WrongComponents, Threshold: 0.05, Updates: 100, Draws: 20, Cues: 20}
	if err := add(&memory.Hopfield{ZeroDiagonal: true}, "5 % of components wrong when fixed", fixed, memory.ClassicalCapacity, []int{50, 100, 200, 400, 800}, 200); err != nil {
		return nil, err
	}
	one := memory.CapacityConfig{Criterion: memory.WrongComponents, Threshold: 0.0036, Updates: 1, Draws: 20, Cues: 50}
	for _, p := range []struct {
		power, most int
		dimensions  []int
	}{{2, 100, []int{50, 100, 200, 400}}, {3, 40, []int{20, 40, 80, 160}}, {4, 20, []int{20, 30, 40, 60}}} {
		theory := func(d int) (float64, error) { return memory.PolynomialCapacity(p.power, d, one.Threshold) }
		if err := add(&memory.Polynomial{Power: p.power, Synchronous: true}, "0.36 % of components wrong after an update", one, theory, p.dimensions, p.most); err != nil {
			return nil, err
		}
	}
	all := memory.CapacityConfig{Criterion: memory.FailedDraws, Threshold: 0.5, Updates: 1, Draws: 60, Cues: memory.AllCues}
	theory := func(d int) (float64, error) { return memory.ExponentialCapacityAll(d, all.Threshold) }
	err := add(&memory.Exponential{}, "half of the draws lose a pattern in an update", all, theory, []int{8, 10, 12, 14, 16, 18, 20, 22, 24}, 16)
	return table, err
}
