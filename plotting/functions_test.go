package plotting

import (
	"math"
	"testing"

	"gonum.org/v1/plot/vg/draw"
)

// syn are f(x) = γx³ + (1−γ)x on [0, 1] and its inverse.
func syn(gamma float64, n int) (x, y []float64) {
	for i := range n {
		v := float64(i) / float64(n-1)
		x, y = append(x, v), append(y, gamma*v*v*v+(1-gamma)*v)
	}
	return x, y
}

func TestFunctions(t *testing.T) {
	x, y := syn(0.5, 101)
	u, v := syn(1, 101)
	f, err := Functions("Syn, forward and inverse", "x", "f(x)", []FunctionCurve{
		{"f, γ = ½", x, y}, {"f⁻¹, γ = ½", y, x}, {"f, γ = 1", u, v}, {"f⁻¹, γ = 1", v, u},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "functions.svg")
	framed(t, "golden", f)
	for name, values := range lists {
		f, err := Functions(name, "x", "f(x)", []FunctionCurve{{"f", values, values}})
		fits(t, name, f, err)
	}
	var curves []FunctionCurve
	for i, name := range many(12) {
		x, y := syn(float64(i)/11, 30)
		curves = append(curves, FunctionCurve{name, x, y})
	}
	f, err = Functions("Twelve", "x", "f(x)", curves)
	fits(t, "twelve", f, err)
}

// TestFunctionsMirror: the axes are of one range and drawn equally long, so that the diagonal is one.
func TestFunctionsMirror(t *testing.T) {
	for name, values := range lists {
		f, err := Functions(name, "x", "f(x)", []FunctionCurve{{"f", values, make([]float64, len(values))}})
		if err != nil {
			t.Fatal(err)
		}
		p := f.plot
		if p.X.Min != p.Y.Min || p.X.Max != p.Y.Max {
			t.Errorf("%s: x from %v to %v, y from %v to %v", name, p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
		}
		body := f.height - 2*margin - titleHeight(f.title) - legendHeight(f.legend)
		size := p.DataCanvas(draw.NewCanvas(nil, f.width-2*margin, body)).Size()
		if math.Abs(float64(size.X-size.Y)) > 0.01 || size.X < f.width/2 {
			t.Errorf("%s: drawn on %v by %v", name, size.X, size.Y)
		}
	}
}

func TestFunctionsRefuses(t *testing.T) {
	one := []float64{1}
	for want, curves := range map[string][]FunctionCurve{
		"there are no curves":                   nil,
		"curve 2 has no name":                   {{"f", one, one}, {"", one, one}},
		`the curve "f" occurs twice`:            {{"f", one, one}, {"f", one, one}},
		"f: 1 values of x and 0 of y":           {{"f", one, nil}},
		"f: 0 values of x and 0 of y":           {{Name: "f"}},
		"f: point 1 (1, NaN): NaN is not a":     {{"f", one, []float64{math.NaN()}}},
		"f: point 1 (-Inf, 1): -Inf is not a n": {{"f", []float64{math.Inf(-1)}, one}},
	} {
		f, err := Functions("", "x", "y", curves)
		refuses(t, f, err, "drawing functions", want)
	}
	f, err := Functions("", "x", "", []FunctionCurve{{"f", one, one}})
	refuses(t, f, err, "drawing functions", "both axes need a name")
}
