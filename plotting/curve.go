package plotting

import (
	"cmp"
	"errors"
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

// FunctionCurve is a function of one variable, given by points in the order in which a line joins them.
type FunctionCurve struct {
	Name string
	X, Y []float64
}

// checkNamed reports why curves between named axes cannot be drawn.
func checkNamed(x, y string, curves []FunctionCurve) error {
	switch {
	case x == "" || y == "":
		return errors.New("both axes need a name")
	case len(curves) == 0:
		return errors.New("there are no curves")
	}
	return checkCurves(curves)
}

// checkCurves reports why curves cannot be drawn.
func checkCurves(curves []FunctionCurve) error {
	if err := labelled("curve", curves, func(c FunctionCurve) string { return c.Name }); err != nil {
		return err
	}
	for _, c := range curves {
		if len(c.X) == 0 || len(c.X) != len(c.Y) {
			return fmt.Errorf("%s: %d values of x and %d of y; give one of each for every point", c.Name, len(c.X), len(c.Y))
		}
		for i := range c.X {
			if err := cmp.Or(drawable(c.X[i]), drawable(c.Y[i])); err != nil {
				return fmt.Errorf("%s: point %d (%v, %v): %w", c.Name, i+1, c.X[i], c.Y[i], err)
			}
		}
	}
	return nil
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

// trace draws the i-th curve through points, or a marker if there is only one, and returns its entry in the legend.
func trace(name string, points plotter.XYs, i int) (plot.Plotter, entry) {
	if !slices.ContainsFunc(points, func(p plotter.XY) bool { return p != points[0] }) {
		return &plotter.Scatter{XYs: points[:1], GlyphStyle: glyph(i)}, entry{label: name, glyph: glyph(i)}
	}
	return &plotter.Line{XYs: points, LineStyle: line(i)}, entry{label: name, line: line(i)}
}

// segment draws a straight line between two points.
func segment(from, to plotter.XY, style draw.LineStyle) plot.Plotter {
	return &plotter.Line{XYs: plotter.XYs{from, to}, LineStyle: style}
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

// translucent returns the colour of a ribbon, which lets curves and ribbons behind it show through.
func translucent(c color.NRGBA) color.NRGBA {
	c.A = 0x30
	return c
}

// mostRibbons is the number of ribbons that can overlap before they hide the curves.
const mostRibbons = 6

// ribbon fills the area between low and high at the values x; if there is only one, it is a bar.
func ribbon(x, low, high []float64, c color.NRGBA) plot.Plotter {
	edge := pairs(x, low)
	if len(x) == 1 {
		return segment(edge[0], plotter.XY{X: x[0], Y: high[0]}, draw.LineStyle{Color: translucent(c), Width: 2 * glyphRadius})
	}
	back := pairs(x, high)
	slices.Reverse(back)
	return &plotter.Polygon{XYs: []plotter.XYs{append(edge, back...)}, Color: translucent(c)}
}

// swatch is the sample of a ribbon in a legend.
type swatch struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (swatch) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	x, y := sampleWidth/2, s.Radius
	fill(c, s.Color, box(at.X-x, at.Y-y, at.X+x, at.Y+y))
}

// ribbonEntry returns the legend entry for ribbons; each ribbon has the colour of its curve.
func ribbonEntry(label string) entry {
	grey := translucent(color.NRGBA{R: ink.Y, G: ink.Y, B: ink.Y, A: 0xff})
	return entry{label: label, glyph: draw.GlyphStyle{Color: grey, Radius: 4, Shape: swatch{}}}
}
