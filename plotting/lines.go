package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Lines draws curves, each through its points in their order. x and y name the axes, with units if there are any.
func Lines(title, x, y string, curves []FunctionCurve) (f *Figure, err error) {
	defer about(&err, "drawing lines")
	if err := checkNamed(x, y, curves); err != nil {
		return nil, err
	}
	p := newPlot(x, y)
	p.Add(grid(true, true))
	var entries []entry
	var across, up []float64
	for i, c := range curves {
		curve, e := trace(c.Name, pairs(c.X, c.Y), i)
		p.Add(curve)
		entries, across, up = append(entries, e), append(across, c.X...), append(up, c.Y...)
	}
	valueAxis(&p.X, slices.Min(across), slices.Max(across))
	valueAxis(&p.Y, slices.Min(up), slices.Max(up))
	if len(curves) == 1 {
		entries = nil // the axis says it
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// Histogram draws how many values are in each of several ranges of one width. Their number is the square root of that of the
// values, 5 to 40. x names the axis, with the unit if there is one.
func Histogram(title, x string, values []float64) (f *Figure, err error) {
	defer about(&err, "drawing a histogram")
	switch {
	case x == "":
		return nil, errors.New("the axis needs a name")
	case len(values) == 0:
		return nil, errors.New("there are no values")
	}
	for i, v := range values {
		if err := drawable(v); err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
	}
	bins := 5
	for bins < 40 && bins*bins < len(values) {
		bins++
	}
	bars, err := plotter.NewHist(plotter.Values(values), bins)
	if err != nil {
		return nil, err
	}
	first, last := &bars.Bins[0], &bars.Bins[len(bars.Bins)-1]
	if least := slices.Min(values); least == slices.Max(values) { // of equal values
		wide := max(1, math.Abs(least)/10)
		bars.Bins = []plotter.HistogramBin{{Min: least - wide/2, Max: least + wide/2, Weight: float64(len(values))}}
		first, last, bars.Width = &bars.Bins[0], &bars.Bins[0], wide
	}
	bars.FillColor, bars.LineStyle.Color, bars.LineStyle.Width = colour(0), color.White, vg.Points(0.5)
	p := newPlot(x, "number")
	p.Add(grid(false, true), bars)
	valueAxis(&p.X, first.Min, last.Max)
	p.Y.Min = 0
	p.Y.Tick.Marker = ticksUpTo(6, 0, p.Y.Max, true)
	return newFigure(title, nil, p, figureWidth, curveHeight), nil
}
