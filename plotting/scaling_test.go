package plotting

import (
	"math"
	"testing"
)

// scaled is a wall time that no number of nodes brings below a floor.
func scaled(name string, hours, floor, stops float64, nodes ...float64) ScalingCurve {
	c := ScalingCurve{Name: name, Nodes: nodes, Stops: stops}
	for _, n := range nodes {
		c.Hours = append(c.Hours, hours/n+floor)
	}
	return c
}

func TestScaling(t *testing.T) {
	var nodes []float64
	for n := 1.0; n <= 1024; n *= 2 {
		nodes = append(nodes, n)
	}
	f, err := Scaling("Cost against machines", []ScalingCurve{
		scaled("10³ fits", 0.18, 0.06, 16, nodes...), scaled("10⁴ fits", 1.8, 0.07, 128, nodes...),
		scaled("10⁵ fits", 18, 0.08, 1024, nodes...), scaled("10⁶ fits", 180, 0.1, 0, nodes...),
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "scaling.svg")
	framed(t, "golden", f)
	var curves []ScalingCurve
	for _, name := range many(12) {
		curves = append(curves, scaled(name, 1, 0.1, 10, 1, 10, 100))
	}
	f, err = Scaling("Twelve", curves)
	fits(t, "twelve", f, err)
	for name, c := range map[string]ScalingCurve{
		"one point":  scaled("a", 1, 0, 0, 7),
		"stops":      scaled("a", 1, 0, 7, 7),
		"two points": scaled("a", 1, 0.5, 2, 2, 3),
		"large":      scaled("a", 1e98, 0, 0, 1, 1e99),
	} {
		f, err := Scaling(name, []ScalingCurve{c})
		fits(t, name, f, err)
	}
}

func TestScalingRefuses(t *testing.T) {
	two := []float64{1, 2}
	for want, c := range map[string]ScalingCurve{
		"curve 1 has no name":                             {Nodes: two, Hours: two},
		"a: there are no numbers of nodes":                {Name: "a"},
		"a: 1 wall times but 2 numbers of nodes":          {Name: "a", Nodes: two, Hours: two[:1]},
		"a: point 2: 0 is not above 0, where a logarithm": {Name: "a", Nodes: two, Hours: []float64{1, 0}},
		"a: point 1: NaN is not a number that can be":     {Name: "a", Nodes: two, Hours: []float64{math.NaN(), 1}},
		"a: point 2: 1 nodes after 2; give them increasi": {Name: "a", Nodes: []float64{2, 1}, Hours: two},
		"a: it stops scaling at 3 nodes, which is none ":  {Name: "a", Nodes: two, Hours: two, Stops: 3},
	} {
		f, err := Scaling("", []ScalingCurve{c})
		refuses(t, f, err, "drawing scaling", want)
	}
	f, err := Scaling("", nil)
	refuses(t, f, err, "drawing scaling", "there are no curves")
	one := scaled("a", 1, 1, 0, 1, 2)
	f, err = Scaling("", []ScalingCurve{one, one})
	refuses(t, f, err, "drawing scaling", `the curve "a" occurs twice`)
}
