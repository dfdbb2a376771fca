package plotting

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// panels returns a drawing of plots from top to bottom, apart as tiles say, whose data stand in line and are equally high.
func panels(tiles draw.Tiles, plots ...*plot.Plot) drawing {
	tiles.Rows, tiles.Cols = len(plots), 1
	var rows [][]*plot.Plot
	for _, p := range plots {
		rows = append(rows, []*plot.Plot{p})
	}
	return func(c *draw.Canvas) {
		cells := plot.Align(rows, tiles, *c)
		for i, row := range rows {
			row[0].Draw(cells[i][0])
		}
	}
}

// unlabelled takes the labels off the horizontal axis of a panel that stands over another with the same axis. They
// become spaces, as ticks without a label count as minor ones.
func unlabelled(a *plot.Axis) {
	a.Label.Text = ""
	ticks := a.Tick.Marker.Ticks(a.Min, a.Max)
	blank := make(plot.ConstantTicks, 0, len(ticks))
	for _, t := range ticks {
		if !t.IsMinor() {
			t.Label = " "
		}
		blank = append(blank, t)
	}
	a.Tick.Marker = blank
}
