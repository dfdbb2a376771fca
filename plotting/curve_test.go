package plotting

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg/draw"
)

func TestLabelled(t *testing.T) {
	is := func(name string) string { return name }
	for want, names := range map[string][]string{
		"<nil>":                        many(mostCurves),
		"run 2 has no name":            {"a", ""},
		`the run "a" occurs twice`:     {"a", "b", "a"},
		`the run "first" occurs twice`: slices.Concat([]string{"first"}, many(20), []string{"first"}),
		"29 names are too many to tell apart; draw at most 28": append(many(29), "syn, γ = 0/29"),
	} {
		if err := labelled("run", names, is); fmt.Sprint(err) != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	groups, group, err := grouped("run", []string{"b", "a", "b", "c", "a"}, is)
	if fmt.Sprint(groups, group, err) != "[b a c] [0 1 0 2 1] <nil>" {
		t.Errorf("groups %v, %v (%v)", groups, group, err)
	}
}

// TestStrokes: as many curves as are allowed look different.
func TestStrokes(t *testing.T) {
	seen := map[string]bool{}
	for i := range mostCurves {
		seen[fmt.Sprint(line(i))] = true
	}
	if len(seen) != mostCurves {
		t.Errorf("%d strokes differ, of %d", len(seen), mostCurves)
	}
}

// syn are f(x) = γx³ + (1−γ)x on [0, 1] and its inverse.
func syn(gamma float64, n int) (x, y []float64) {
	for i := range n {
		v := float64(i) / float64(n-1)
		x, y = append(x, v), append(y, gamma*v*v*v+(1-gamma)*v)
	}
	return x, y
}

// TestFunctions also checks that both axes have the same range and length, so that y = x is a diagonal.
func TestFunctions(t *testing.T) {
	x, y := syn(0.5, 101)
	u, v := syn(1, 101)
	golden(t, "functions.svg")(Functions("Syn, forward and inverse", "x", "f(x)", []FunctionCurve{
		{"f, γ = ½", x, y}, {"f⁻¹, γ = ½", y, x}, {"f, γ = 1", u, v}, {"f⁻¹, γ = 1", v, u},
	}))
	fits(t, "twelve")(Functions("Twelve", "x", "f(x)", named(12, func(name string, i int) FunctionCurve {
		x, y := syn(float64(i)/11, 30)
		return FunctionCurve{name, x, y}
	})))
	for name, values := range lists {
		f, err := Functions(name, "x", "f(x)", []FunctionCurve{{"f", values, slices.Repeat(values[:1], len(values))}})
		if fits(t, name)(f, err); err != nil {
			continue
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
	one := []float64{1}
	for want, curves := range map[string][]FunctionCurve{
		"drawing functions: there are no curves": nil,
		"curve 2 has no name":                    {{"f", one, one}, {"", one, one}},
		"f: 1 values of x and 0 of y":            {{"f", one, nil}},
		"f: 0 values of x and 0 of y":            {{Name: "f"}},
		"f: point 1 (1, NaN): NaN is not a":      {{"f", one, []float64{math.NaN()}}},
		"f: point 1 (-Inf, 1): -Inf is not a n":  {{"f", []float64{math.Inf(-1)}, one}},
	} {
		refused(t, want)(Functions("", "x", "y", curves))
	}
	refused(t, "both axes need a name")(Functions("", "x", "", []FunctionCurve{{"f", one, one}}))
}

func TestPredictions(t *testing.T) {
	aged := func(n int) (targets, predictions []float64) {
		for i := range n {
			age := 20 + 60*float64(i)/float64(n)
			targets, predictions = append(targets, age), append(predictions, 50+0.8*(age-50)+9*math.Sin(float64(7*i)))
		}
		return targets, predictions
	}
	targets, predictions := aged(60)
	golden(t, "predictions.svg")(Predictions("Ages", "True age (years)", "Predicted age (years)", targets, predictions))
	targets, predictions = aged(2000)
	fits(t, "many")(Predictions("", "x", "y", targets, predictions))
	fits(t, "one")(Predictions("", "x", "y", targets[:1], predictions[:1]))
	refused(t, "drawing predictions: 2 targets and 1 predictions")(Predictions("", "x", "y", targets[:2], predictions[:1]))
	refused(t, "drawing predictions: there are no points")(Predictions("", "x", "y", nil, nil))
}

func TestEnergyTraces(t *testing.T) {
	golden(t, "energytraces.svg")(EnergyTraces("Energy of retrievals", []EnergyRun{
		{"classical", course(7, -12, -3, 1.1), true},
		{"power 3", course(4, -15, -4, 2), true},
		{"β = 1", course(15, -9, -1, 0.3), false},
	}))
	for name, values := range lists {
		fits(t, name)(EnergyTraces("", []EnergyRun{{"run", values, true}}))
	}
	var runs []EnergyRun
	for i := range 100 {
		runs = append(runs, EnergyRun{[]string{"digits", "noise"}[i%2], course(3+i%9, -float64(i%13), float64(i%7), 0.5), true})
	}
	f, err := EnergyTraces("Many of two kinds", runs)
	fits(t, "many")(f, err)
	if got := len(f.legend[0]); got != 3 {
		t.Errorf("the legend has %d entries, want two names and the fixed point", got)
	}
	for want, runs := range map[string][]EnergyRun{
		"drawing energy traces: there are no runs": nil,
		"run 2, b: there are no energies":          {{Name: "a", Energies: []float64{1}}, {Name: "b"}},
		"run 1 has no name":                        {{Energies: []float64{1}}},
		"run 1, a: step 1: NaN is not a":           {{Name: "a", Energies: []float64{1, math.NaN()}}},
	} {
		refused(t, want)(EnergyTraces("", runs))
	}
}

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
	golden(t, "capacity.svg")(Capacity("Random patterns that memories bring back", []CapacityCurve{
		measured("classical", 0.138, 1, 50, 100, 200, 400, 800),
		measured("power 3", 0.046, 2, 20, 40, 80, 160),
		measured("power 4", 0.0092, 3, 20, 30, 40, 60),
		exponential,
	}))
	fits(t, "twelve")(Capacity("Twelve", named(12, func(name string, i int) CapacityCurve {
		return measured(name, 0.2, 1+float64(i)/3, 10, 100, 1000)
	})))
	ten, two := []float64{10}, []float64{1, 2}
	for name, c := range map[string]CapacityCurve{
		"one point": {"a", ten, ten, nil},
		"few":       {"a", []float64{10, 11}, []float64{9, 12}, []float64{10, 11}},
		"theory":    {"a", []float64{1, 2, 3}, nil, []float64{7, 7, 7}},
		"huge":      {"a", []float64{1e-99, 1e99}, []float64{1, 1e100}, nil},
		"small":     {"a", two, []float64{1e-99, 2e-99}, []float64{1e-99, 3e-99}},
		"narrow":    {"a", []float64{100, 101}, []float64{14, 15}, nil},
	} {
		fits(t, name)(Capacity(name, []CapacityCurve{c}))
	}
	for want, c := range map[string]CapacityCurve{
		"drawing capacities: memory 1 has no name": {"", two, two, nil},
		"a: there are no numbers of components":    {Name: "a"},
		"a: there are neither measured nor expec":  {"a", two, nil, nil},
		"a: 1 capacities but 2 numbers of compon":  {"a", two, two[:1], nil},
		"a: 0 capacities but 2 numbers of compon":  {"a", two, two, []float64{}},
		"a: one expected capacity makes no line":   {"a", two[:1], nil, two[:1]},
		"a: capacity 2: 0 is not above 0, where a": {"a", two, []float64{1, 0}, nil},
		"components 1: -1 is not above 0":          {"a", []float64{-1}, []float64{1}, nil},
		"a: capacity 2: NaN is not a number that ": {"a", two, nil, []float64{1, math.NaN()}},
		"components 2: 1 after 1; give them incre": {"a", []float64{1, 1}, two, nil},
	} {
		refused(t, want)(Capacity("", []CapacityCurve{c}))
	}
	refused(t, "drawing capacities: there are no memories")(Capacity("", nil))
}

func TestSweep(t *testing.T) {
	swept := func(name string, bend float64, values ...float64) SweepCurve {
		c := SweepCurve{Name: name, X: values}
		for i, x := range values {
			mean := 0.9 - bend*math.Abs(math.Atan(x))/10
			c.Mean = append(c.Mean, mean)
			c.Low, c.High = append(c.Low, mean-0.01-0.002*float64(i%3)), append(c.High, mean+0.012)
		}
		return c
	}
	iterations := []float64{-20, -10, -5, -3, -1, 0, 1, 3, 5, 10, 20}
	golden(t, "sweep.svg")(Sweep("Concentration and distraction", "Syn steps I", "AUC", []SweepCurve{
		swept("elephant", 0.2, iterations...), swept("musk1", 0.5, iterations...), swept("fox", 3, iterations...),
	}))
	few, err := Sweep("Few whole numbers", "Words", "AUC", []SweepCurve{swept("a", 1, 7, 11, 15)})
	must(t, err)
	if drawn := svgOf(t, few); !strings.Contains(drawn, ">11<") || strings.Contains(drawn, ">8<") {
		t.Error("the ticks are not the points")
	}
	fits(t, "fourteen")(Sweep("Fourteen", "I", "AUC", named(14, func(name string, _ int) SweepCurve { return swept(name, 1, 1, 2, 3) })))
	for name, c := range map[string]SweepCurve{
		"one value": swept("a", 1, 3),
		"equal":     {Name: "a", X: []float64{1, 2}, Mean: []float64{0.5, 0.5}, Low: []float64{0.5, 0.5}, High: []float64{0.5, 0.5}},
		"wide":      {Name: "a", X: []float64{-1e99, 1e99}, Mean: []float64{0, 1}},
	} {
		fits(t, name)(Sweep(name, "I", "AUC", []SweepCurve{c}))
	}
	one, nan := []float64{1}, []float64{math.NaN()}
	for want, c := range map[string]SweepCurve{
		"drawing a sweep: curve 1 has no name": {X: one, Mean: one},
		"there are no values":                  {Name: "a"},
		"do not go together":                   {Name: "a", X: one, Mean: one, Low: one},
		"point 1: NaN":                         {Name: "a", X: nan, Mean: one},
		"AUC 1: NaN is not between 0 and 1":    {Name: "a", X: one, Mean: nan},
		"AUC 1: 1.5 is not between 0 and 1":    {Name: "a", X: one, Mean: []float64{1.5}},
		"NaN is not a number":                  {Name: "a", X: one, Mean: one, Low: nan, High: one},
		"2 after 2; give them increasing":      {Name: "a", X: []float64{2, 2}, Mean: []float64{1, 1}},
		"the mean 1 is not in its interval":    {Name: "a", X: one, Mean: one, Low: one, High: []float64{0.5}},
	} {
		refused(t, want)(Sweep("", "I", "AUC", []SweepCurve{c}))
	}
	refused(t, "there are no curves")(Sweep("", "I", "AUC", nil))
	refused(t, "the axis has no name")(Sweep("", "", "AUC", []SweepCurve{swept("a", 1, 1, 2)}))
}
