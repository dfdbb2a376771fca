package plotting

import (
	"math"
	"testing"
)

// swept returns an AUC that rises and falls over the values.
func swept(name string, bend float64, values ...float64) SweepCurve {
	c := SweepCurve{Name: name, X: values}
	for i, x := range values {
		mean := 0.9 - bend*math.Abs(math.Atan(x))/10
		c.Mean = append(c.Mean, mean)
		c.Low, c.High = append(c.Low, mean-0.01-0.002*float64(i%3)), append(c.High, mean+0.012)
	}
	return c
}

func TestSweep(t *testing.T) {
	iterations := []float64{-20, -10, -5, -3, -1, 0, 1, 3, 5, 10, 20}
	f, err := Sweep("Concentration and distraction", "Syn steps I", Linear, []SweepCurve{
		swept("elephant", 0.2, iterations...), swept("musk1", 0.5, iterations...), swept("fox", 3, iterations...),
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "sweep.svg")
	framed(t, "golden", f)
	f, err = Sweep("Witness rate", "Share of positive instances", Logarithmic, []SweepCurve{
		swept("I = -3", 5, 0.01, 0.02, 0.05, 0.1, 0.5), {Name: "I = 3", X: []float64{0.01, 0.1}, Mean: []float64{0.5, 1}},
	})
	fits(t, "logarithmic", f, err)
	var curves []SweepCurve
	for _, name := range many(14) {
		curves = append(curves, swept(name, 1, 1, 2, 3))
	}
	f, err = Sweep("Fourteen", "I", Linear, curves)
	fits(t, "fourteen", f, err)
	for name, c := range map[string]SweepCurve{
		"one value": swept("a", 1, 3),
		"equal":     {Name: "a", X: []float64{1, 2}, Mean: []float64{0.5, 0.5}, Low: []float64{0.5, 0.5}, High: []float64{0.5, 0.5}},
		"wide":      {Name: "a", X: []float64{-1e99, 1e99}, Mean: []float64{0, 1}},
	} {
		f, err := Sweep(name, "I", Linear, []SweepCurve{c})
		fits(t, name, f, err)
	}
}

func TestSweepRefuses(t *testing.T) {
	one, nan := []float64{1}, []float64{math.NaN()}
	for want, c := range map[string]SweepCurve{
		"curve 1 has no name":               {X: one, Mean: one},
		"there are no values":               {Name: "a"},
		"do not go together":                {Name: "a", X: one, Mean: one, Low: one},
		"point 1: NaN":                      {Name: "a", X: nan, Mean: one},
		"the AUC NaN is not between":        {Name: "a", X: one, Mean: nan},
		"the AUC 1.5 is not between":        {Name: "a", X: one, Mean: []float64{1.5}},
		"is not in its interval [NaN, 1]":   {Name: "a", X: one, Mean: one, Low: nan, High: one},
		"give the values increasing":        {Name: "a", X: []float64{2, 2}, Mean: []float64{1, 1}},
		"the mean 1 is not in its interval": {Name: "a", X: one, Mean: one, Low: one, High: []float64{0.5}},
	} {
		f, err := Sweep("", "I", Linear, []SweepCurve{c})
		refuses(t, f, err, "drawing a sweep", want)
	}
	f, err := Sweep("", "I", Linear, nil)
	refuses(t, f, err, "drawing a sweep", "there are no curves")
	f, err = Sweep("", "", Linear, []SweepCurve{swept("a", 1, 1, 2)})
	refuses(t, f, err, "drawing a sweep", "the axis has no name")
	f, err = Sweep("", "I", Logarithmic, []SweepCurve{swept("a", 1, 0, 2)})
	refuses(t, f, err, "drawing a sweep", "not above 0")
	f, err = Sweep("", "I", 7, []SweepCurve{swept("a", 1, 1, 2)})
	refuses(t, f, err, "drawing a sweep", "there is no scale 7")
	f, err = Sweep("", "I", Linear, []SweepCurve{swept("a", 1, 1, 2), swept("a", 1, 1, 2)})
	refuses(t, f, err, "drawing a sweep", `"a" occurs twice`)
}
