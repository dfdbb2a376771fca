package plotting

import (
	"fmt"
	"math"
	"testing"
)

func TestConvergencePanels(t *testing.T) {
	cases := []ConvergencePanel{
		{"(a) one of four wins", winning(12, 4)},
		{"(b) one of three wins", winning(6, 3)},
		{"(c) nothing moves", [][]float64{{0, 0, 0, 0}}},
		{"(d) a negative end", [][]float64{{0.2, -0.6}, {0.1, -0.8}, {0, -1}}},
	}
	f, err := ConvergencePanels("Four cases of convergence", 2, cases)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "convergencepanels.svg")
	framed(t, "golden", f)
	for name, values := range lists {
		var orders [][]float64
		for _, v := range values {
			orders = append(orders, []float64{v, -v})
		}
		f, err := ConvergencePanels(name, 3, []ConvergencePanel{{name, orders}, {"", winning(3, 1)}})
		fits(t, name, f, err)
	}
	for columns := 1; columns <= mostTileColumns; columns++ {
		for _, n := range []int{1, columns, columns + 1, columns * mostTileRows} {
			var all []ConvergencePanel
			for _, name := range many(n) {
				all = append(all, ConvergencePanel{name, winning(n, 5)})
			}
			f, err := ConvergencePanels("Many", columns, all)
			fits(t, fmt.Sprintf("%d in %d columns", n, columns), f, err)
		}
	}
}

func TestConvergencePanelsRefuses(t *testing.T) {
	good := ConvergencePanel{"good", [][]float64{{1, 2}}}
	for want, c := range map[string]struct {
		columns int
		cases   []ConvergencePanel
	}{
		"there are no panels":                           {2, nil},
		"1 panels in 0 columns; 1 to 4 columns":         {0, []ConvergencePanel{good}},
		"1 panels in 5 columns":                         {5, []ConvergencePanel{good}},
		"13 panels in 1 columns":                        {1, make([]ConvergencePanel, 13)},
		"panel 2, empty: there are no order parameters": {2, []ConvergencePanel{good, {"empty", nil}}},
		"panel 1, bad: step 1: 1 order parameters":      {2, []ConvergencePanel{{"bad", [][]float64{{1, 2}, {1}}}}},
		"panel 1, bad: step 0: ξ₂: NaN is not a number": {2, []ConvergencePanel{{"bad", [][]float64{{1, math.NaN()}}}}},
	} {
		f, err := ConvergencePanels("", c.columns, c.cases)
		refuses(t, f, err, "drawing panels of convergence", want)
	}
}

// winning returns order parameters where the first wins.
func winning(steps, components int) [][]float64 {
	var orders [][]float64
	order := make([]float64, components)
	for k := range order {
		order[k] = 1 - 0.4*float64(k)/float64(components)
	}
	for range steps {
		sum := 0.0
		for _, v := range order {
			sum += v * v
		}
		next := make([]float64, components)
		for k, v := range order {
			v /= math.Sqrt(sum)
			next[k] = 0.5*v*v*v + 0.5*v
		}
		orders = append(orders, order)
		order = next
	}
	return orders
}
