package plotting

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// FunctionCurve is a function of one variable, given by points in the order in which a line joins them.
type FunctionCurve struct {
	Name string
	X, Y []float64
}

// Functions draws functions, such as f and its inverse, and the diagonal y = x. Both axes have the same scale and range, so
// a function and its inverse are mirror images at the diagonal. x and y name the axes, with units if there are any.
func Functions(title, x, y string, curves []FunctionCurve) (*Figure, error) {
	f, err := functions(title, x, y, curves)
	if err != nil {
		return nil, fmt.Errorf("drawing functions: %w", err)
	}
	return f, nil
}

func functions(title, x, y string, curves []FunctionCurve) (*Figure, error) {
	if x == "" || y == "" {
		return nil, errors.New("both axes need a name")
	}
	if len(curves) == 0 {
		return nil, errors.New("there are no curves")
	}
	if err := checkCurves(curves); err != nil {
		return nil, err
	}
	var values []float64
	for _, c := range curves {
		values = append(append(values, c.X...), c.Y...)
	}

	p := squarePlot(x, y, slices.Min(values), slices.Max(values))
	p.Add(grid(true, true))
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: p.X.Min, Y: p.X.Min}, {X: p.X.Max, Y: p.X.Max}}, LineStyle: chance()})
	var entries []entry
	for i, c := range curves {
		points := pairs(c.X, c.Y)
		p.Add(trace(points, i))
		entries = append(entries, traceEntry(c.Name, points, i))
	}
	entries = append(entries, entry{label: "y = x", line: chance()})
	return newFigure(title, entries, p, squareWidth, squared(p, squareWidth-2*margin)), nil
}

// checkCurves reports why curves cannot be drawn.
func checkCurves(curves []FunctionCurve) error {
	if err := labelled("curve", namesOf(curves, func(c FunctionCurve) string { return c.Name })); err != nil {
		return err
	}
	for _, c := range curves {
		if len(c.X) == 0 || len(c.X) != len(c.Y) {
			return fmt.Errorf("%s: %d values of x and %d of y; give one of each for every point", c.Name, len(c.X), len(c.Y))
		}
		for i := range c.X {
			for _, v := range []float64{c.X[i], c.Y[i]} {
				if err := drawable(v); err != nil {
					return fmt.Errorf("%s: point %d (%v, %v): %w", c.Name, i+1, c.X[i], c.Y[i], err)
				}
			}
		}
	}
	return nil
}

// squarePlot returns two axes with the same scale.
func squarePlot(x, y string, low, high float64) *plot.Plot {
	p := newPlot(x, y)
	valueAxis(&p.Y, low, high)
	p.X.Min, p.X.Max, p.X.Tick.Marker = p.Y.Min, p.Y.Max, p.Y.Tick.Marker
	for most := 7; crowded(&p.X, squareWidth-4*margin) && most > 1; most-- {
		p.X.Tick.Marker = ticksUpTo(most, p.X.Min, p.X.Max, false)
	}
	return p
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
