package plotting

import (
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
	panels(draw.Tiles{PadY: 4}, plots...)(&c)
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
