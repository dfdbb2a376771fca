package plotting

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Functions draws functions, such as f and its inverse, and the diagonal y = x. Both axes have the same scale and range, so
// a function and its inverse are mirror images at the diagonal. x and y name the axes, with units if there are any.
func Functions(title, x, y string, curves []FunctionCurve) (f *Figure, err error) {
	defer about(&err, "drawing functions")
	if err := checkNamed(x, y, curves); err != nil {
		return nil, err
	}
	var values []float64
	for _, c := range curves {
		values = slices.Concat(values, c.X, c.Y)
	}
	p := squarePlot(x, y, values)
	p.Add(grid(true, true), diagonal(p, chance()))
	var entries []entry
	for i, c := range curves {
		curve, e := trace(c.Name, pairs(c.X, c.Y), i)
		p.Add(curve)
		entries = append(entries, e)
	}
	return squareFigure(title, append(entries, entry{label: "y = x", line: chance()}), p), nil
}

// Predictions draws predicted against true values of a regression, one dot per bag, and the diagonal of exact predictions.
// Both axes have the same scale and range. x and y name the axes, with units if there are any.
func Predictions(title, x, y string, targets, predictions []float64) (f *Figure, err error) {
	defer about(&err, "drawing predictions")
	if len(targets) != len(predictions) {
		return nil, fmt.Errorf("%d targets and %d predictions; give one of each for every bag", len(targets), len(predictions))
	}
	points := make([]ScatterPoint, len(targets))
	for i := range targets {
		points[i] = ScatterPoint{X: targets[i], Y: predictions[i]}
	}
	if err := checkPoints(x, y, points); err != nil {
		return nil, err
	}
	p := squarePlot(x, y, slices.Concat(targets, predictions))
	exact := chance()
	exact.Color = ink // it lies over the dots
	p.Add(grid(true, true), scatter(points, make([]int, len(points))), diagonal(p, exact))
	entries := []entry{{label: "a bag", glyph: classGlyph(0, false, glyphRadius)}, {label: "exact", line: exact}}
	return squareFigure(title, entries, p), nil
}

// squarePlot returns two axes with the same scale over values.
func squarePlot(x, y string, values []float64) *plot.Plot {
	p := newPlot(x, y)
	valueAxis(&p.Y, slices.Min(values), slices.Max(values))
	p.X.Min, p.X.Max, p.X.Tick.Marker = p.Y.Min, p.Y.Max, p.Y.Tick.Marker
	for most := 7; crowded(&p.X, squareWidth-4*margin) && most > 1; most-- {
		p.X.Tick.Marker = ticksUpTo(most, p.X.Min, p.X.Max, false)
	}
	return p
}

// diagonal draws the line y = x.
func diagonal(p *plot.Plot, style draw.LineStyle) plot.Plotter {
	return segment(plotter.XY{X: p.X.Min, Y: p.X.Min}, plotter.XY{X: p.X.Max, Y: p.X.Max}, style)
}

// crowded reports whether the labels of a horizontal axis are too wide for it.
func crowded(a *plot.Axis, width vg.Length) bool {
	var labels vg.Length
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		labels += a.Tick.Label.Width(t.Label) + gap
	}
	return labels > width
}

// squared returns the height that makes the data area of a plot a square, given the width including axes.
func squared(p *plot.Plot, width vg.Length) vg.Length {
	data := p.DataCanvas(draw.NewCanvas(nil, width, width)).Size()
	return width + data.X - data.Y
}

// squareFigure lays out a figure with a square data area.
func squareFigure(title string, entries []entry, p *plot.Plot) *Figure {
	return newFigure(title, entries, p, squareWidth, squared(p, squareWidth-2*margin))
}
