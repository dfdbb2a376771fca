package plotting

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curveHeight is the height of axes with curves.
const curveHeight = 3.1 * vg.Inch

// namesOf returns the names of curves.
func namesOf[C any](curves []C, name func(C) string) []string {
	names := make([]string, len(curves))
	for i, c := range curves {
		names[i] = name(c)
	}
	return names
}

// labelled reports why curves of that kind cannot be told apart by name and stroke.
func labelled(kind string, names []string) error {
	groups, _, err := grouped(kind, names)
	if err == nil && len(groups) < len(names) {
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				return fmt.Errorf("the %s %q occurs twice", kind, name)
			}
		}
	}
	return err
}

// grouped returns the distinct names of curves of that kind, in order of first appearance, and the index of each curve's
// name.
func grouped(kind string, names []string) (groups []string, group []int, err error) {
	for i, name := range names {
		if name == "" {
			return nil, nil, fmt.Errorf("%s %d has no name", kind, i+1)
		}
		at := slices.Index(groups, name)
		if at < 0 {
			at = len(groups)
			groups = append(groups, name)
		}
		group = append(group, at)
	}
	if most := len(palette) * len(dashes); len(groups) > most {
		return nil, nil, fmt.Errorf("%d names are too many to tell apart; draw at most %d", len(groups), most)
	}
	return groups, group, nil
}

// pairs returns points made of two lists.
func pairs(x, y []float64) plotter.XYs {
	points := make(plotter.XYs, len(x))
	for i := range x {
		points[i] = plotter.XY{X: x[i], Y: y[i]}
	}
	return points
}

// counted returns points with the values at first, first+1, …
func counted(first int, values []float64) plotter.XYs {
	points := make(plotter.XYs, len(values))
	for i, v := range values {
		points[i] = plotter.XY{X: float64(first + i), Y: v}
	}
	return points
}

// trace draws the i-th curve through points, or a marker if there is only one.
func trace(points plotter.XYs, i int) plot.Plotter {
	if single(points) {
		return &plotter.Scatter{XYs: points[:1], GlyphStyle: glyph(i)}
	}
	return &plotter.Line{XYs: points, LineStyle: line(i)}
}

// traceEntry returns the legend entry of the i-th curve through points.
func traceEntry(name string, points plotter.XYs, i int) entry {
	if single(points) {
		return entry{label: name, glyph: glyph(i)}
	}
	return entry{label: name, line: line(i)}
}

// single reports whether all points are equal.
func single(points plotter.XYs) bool {
	return !slices.ContainsFunc(points, func(p plotter.XY) bool { return p != points[0] })
}

// countAxis sets up an axis over whole numbers.
func countAxis(a *plot.Axis, first, last int) {
	pad := 0.02 * float64(last-first)
	if first == last {
		pad = 0.5
	}
	a.Min, a.Max = float64(first)-pad, float64(last)+pad
	a.Tick.Marker = ticksUpTo(9, a.Min, a.Max, true)
}

// valueAxis sets up an axis over values, with a margin.
func valueAxis(a *plot.Axis, low, high float64) {
	a.Min, a.Max = span(low, high)
	a.Tick.Marker = ticksUpTo(8, a.Min, a.Max, false)
}

// disc is the marker for the end of a curve, and for a legend entry that applies to every curve.
func disc(c color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: glyphRadius, Shape: draw.CircleGlyph{}}
}
