package plotting

import (
	"math"
	"testing"
)

// measured returns a power of the dimension as theory, with made-up measurements.
func measured(name string, factor, power float64, dimensions ...float64) CapacityCurve {
	c := CapacityCurve{Name: name, Components: dimensions}
	for i, d := range dimensions {
		expected := factor * math.Pow(d, power)
		c.Theory = append(c.Theory, expected)
		c.Measured = append(c.Measured, math.Round(expected*(1+0.1*math.Sin(float64(3*i)))))
	}
	return c
}

func TestCapacity(t *testing.T) {
	exponential := CapacityCurve{Name: "exponential"}
	for d := 8.0; d <= 24; d += 2 {
		exponential.Components = append(exponential.Components, d)
		exponential.Theory = append(exponential.Theory, math.Exp2(d/2)/math.Sqrt(d))
		exponential.Measured = append(exponential.Measured, math.Round(1.1*math.Exp2(d/2)/math.Sqrt(d)))
	}
	f, err := Capacity("Random patterns that memories bring back", []CapacityCurve{
		measured("classical", 0.138, 1, 50, 100, 200, 400, 800),
		measured("power 3", 0.046, 2, 20, 40, 80, 160),
		measured("power 4", 0.0092, 3, 20, 30, 40, 60),
		exponential,
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "capacity.svg")
	framed(t, "golden", f)
	var memories []CapacityCurve
	for i, name := range many(12) {
		memories = append(memories, measured(name, 0.2, 1+float64(i)/3, 10, 100, 1000))
	}
	f, err = Capacity("Twelve", memories)
	fits(t, "twelve", f, err)
	ten := []float64{10}
	for name, c := range map[string]CapacityCurve{
		"one point": {"a", ten, ten, nil},
		"few":       {"a", []float64{10, 11}, []float64{9, 12}, []float64{10, 11}},
		"theory":    {"a", []float64{1, 2, 3}, nil, []float64{7, 7, 7}},
		"huge":      {"a", []float64{1e-99, 1e99}, []float64{1, 1e100}, nil},
		"small":     {"a", []float64{1, 2}, []float64{1e-99, 2e-99}, []float64{1e-99, 3e-99}},
		"narrow":    {"a", []float64{100, 101}, []float64{14, 15}, nil},
	} {
		f, err := Capacity(name, []CapacityCurve{c})
		fits(t, name, f, err)
	}
}

func TestCapacityRefuses(t *testing.T) {
	two := []float64{1, 2}
	for want, c := range map[string]CapacityCurve{
		"memory 1 has no name":                    {"", two, two, nil},
		"a: there are no numbers of components":   {Name: "a"},
		"a: there are neither measured nor expec": {"a", two, nil, nil},
		"a: 1 capacities but 2 numbers of compon": {"a", two, two[:1], nil},
		"a: 0 capacities but 2 numbers of compon": {"a", two, two, []float64{}},
		"a: one expected capacity makes no line":  {"a", two[:1], nil, two[:1]},
		"a: point 2: 0 is not above 0, where a l": {"a", two, []float64{1, 0}, nil},
		"a: point 1: -1 is not above 0":           {"a", []float64{-1}, []float64{1}, nil},
		"a: point 2: NaN is not a number that ca": {"a", two, nil, []float64{1, math.NaN()}},
		"a: point 2: +Inf is not a number that c": {"a", two, two, []float64{1, math.Inf(1)}},
		"a: point 2: 1 components after 1; give ": {"a", []float64{1, 1}, two, nil},
	} {
		f, err := Capacity("", []CapacityCurve{c})
		refuses(t, f, err, "drawing capacities", want)
	}
	f, err := Capacity("", nil)
	refuses(t, f, err, "drawing capacities", "there are no memories")
	one := measured("a", 1, 1, 1, 2)
	f, err = Capacity("", []CapacityCurve{one, one})
	refuses(t, f, err, "drawing capacities", `the memory "a" occurs twice`)
}
