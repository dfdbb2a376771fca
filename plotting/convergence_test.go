package plotting

import (
	"math"
	"testing"
)

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

func TestConvergence(t *testing.T) {
	f, err := Convergence("Order parameters of four patterns", nil, winning(16, 4))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "convergence.svg")
	framed(t, "golden", f)
	for name, values := range lists {
		var orders [][]float64
		for _, v := range values {
			orders = append(orders, []float64{v})
		}
		f, err := Convergence(name, []string{"only"}, orders)
		fits(t, name, f, err)
	}
	f, err = Convergence("Twelve", nil, winning(100, 12))
	fits(t, "twelve", f, err)
	f, err = Convergence("", many(28), winning(200, 28))
	fits(t, "many", f, err)
}

func TestConvergenceRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		names  []string
		orders [][]float64
	}{
		"there are no order parameters":           {},
		"there are no order":                      {nil, [][]float64{{}}},
		"step 1: 1 order parameters, step 0 has":  {nil, [][]float64{{1, 2}, {1}}},
		"step 1: ξ₂: NaN is not a number":         {nil, [][]float64{{1, 2}, {1, math.NaN()}}},
		"step 0: a: +Inf is not a number":         {[]string{"a"}, [][]float64{{math.Inf(1)}}},
		"step 0: a: 1e+200 is not a number that":  {[]string{"a"}, [][]float64{{1e200}}},
		"2 names but 1 order parameters":          {[]string{"a", "b"}, [][]float64{{1}}},
		`the component "a" occurs twice`:          {[]string{"a", "a"}, [][]float64{{1, 2}}},
		"component 2 has no name":                 {[]string{"a", ""}, [][]float64{{1, 2}}},
		"40 names are too many to tell apart; dr": {nil, [][]float64{make([]float64, 40)}},
	} {
		f, err := Convergence("", c.names, c.orders)
		refuses(t, f, err, "drawing convergence", want)
	}
}
