package plotting

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// dataArea keeps where the data of a plot were drawn.
type dataArea struct{ at *vg.Rectangle }

func (p dataArea) Plot(c draw.Canvas, _ *plot.Plot) { *p.at = c.Rectangle }

// TestPanels: the data areas of panels are aligned and equally high, whatever the widths of their labels. Aligning in one
// pass is off by at most half a point.
func TestPanels(t *testing.T) {
	var at [2]vg.Rectangle
	var plots []*plot.Plot
	for i, high := range []float64{1, 123456} {
		p := newPlot("x", "y")
		valueAxis(&p.X, 0, 1)
		valueAxis(&p.Y, 0, high)
		p.Add(dataArea{&at[i]})
		plots = append(plots, p)
	}
	before := len(spelled(plots[0].X.Tick.Marker.(plot.ConstantTicks)))
	unlabelled(&plots[0].X)
	c := draw.New(vgimg.New(300, 300))
	panels(draw.Tiles{Cols: 1, PadY: 4}, plots, nil)(&c)
	upper, lower := at[0], at[1]
	for name, gap := range map[string]vg.Length{
		"left": upper.Min.X - lower.Min.X, "right": upper.Max.X - lower.Max.X, "height": upper.Size().Y - lower.Size().Y,
	} {
		if math.Abs(float64(gap)) > 0.5 {
			t.Errorf("%s: %v apart, %v and %v", name, gap, upper, lower)
		}
	}
	if upper.Min.Y <= lower.Max.Y || upper.Size().Y < 80 {
		t.Errorf("drawn at %v over %v", upper, lower)
	}
	// Ticks without a label would lose the lines of the grid.
	if blank := plots[0].X.Tick.Marker.(plot.ConstantTicks); before == 0 || blank[0].IsMinor() || blank[0].Label != " " {
		t.Errorf("the ticks over another panel are %v", blank)
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

func TestConvergencePanels(t *testing.T) {
	golden(t, "convergencepanels.svg")(ConvergencePanels("Four cases of convergence", 2, []ConvergencePanel{
		{"(a) one of four wins", winning(12, 4)},
		{"(b) one of three wins", winning(6, 3)},
		{"(c) nothing moves", [][]float64{{0, 0, 0, 0}}},
		{"(d) a negative end", [][]float64{{0.2, -0.6}, {0.1, -0.8}, {0, -1}}},
	}))
	for name, values := range lists {
		var orders [][]float64
		for _, v := range values {
			orders = append(orders, []float64{v, -v})
		}
		fits(t, name)(ConvergencePanels(name, 3, []ConvergencePanel{{name, orders}, {"", winning(3, 1)}}))
	}
	for columns := 1; columns <= mostTileColumns; columns++ {
		for _, n := range []int{1, columns, columns + 1, columns * mostTileRows} {
			fits(t, fmt.Sprintf("%d in %d columns", n, columns))(ConvergencePanels("Many", columns, named(n, func(name string, _ int) ConvergencePanel {
				return ConvergencePanel{name, winning(n, 5)}
			})))
		}
	}
	good := ConvergencePanel{"good", [][]float64{{1, 2}}}
	for want, c := range map[string]struct {
		columns int
		cases   []ConvergencePanel
	}{
		"drawing panels of convergence: there are no panels": {2, nil},
		"1 panels in 0 columns; 1 to 4 columns":              {0, []ConvergencePanel{good}},
		"1 panels in 5 columns":                              {5, []ConvergencePanel{good}},
		"13 panels in 1 columns":                             {1, make([]ConvergencePanel, 13)},
		"panel 2, empty: there are no order parameters":      {2, []ConvergencePanel{good, {"empty", nil}}},
		"29 components are too many to tell apart":           {2, []ConvergencePanel{{"many", winning(2, 29)}}},
		"panel 1, bad: step 1: 1 order parameters":           {2, []ConvergencePanel{{"bad", [][]float64{{1, 2}, {1}}}}},
		"panel 1, bad: step 0: ξ₂: NaN is not a number":      {2, []ConvergencePanel{{"bad", [][]float64{{1, math.NaN()}}}}},
	} {
		refused(t, want)(ConvergencePanels("", c.columns, c.cases))
	}
}
