package plotting

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// ScalingCurve is the wall time of a fixed amount of work on different numbers of nodes.
type ScalingCurve struct {
	Name  string
	Nodes []float64 // increasing
	Hours []float64 // wall time on each number of nodes
	Stops float64   // the entry of Nodes where the work stops scaling; 0 for none
}

// Scaling draws wall time against the number of nodes on logarithmic axes. A dashed straight line from the first point shows
// ideal scaling, and a ring marks where the work stops scaling.
func Scaling(title string, curves []ScalingCurve) (*Figure, error) {
	f, err := scaling(title, curves)
	if err != nil {
		return nil, fmt.Errorf("drawing scaling: %w", err)
	}
	return f, nil
}

func scaling(title string, curves []ScalingCurve) (*Figure, error) {
	if len(curves) == 0 {
		return nil, errors.New("there are no curves")
	}
	if err := labelled("curve", namesOf(curves, func(c ScalingCurve) string { return c.Name })); err != nil {
		return nil, err
	}
	ideal := draw.LineStyle{Color: muted, Width: 0.8, Dashes: dashes[1]}
	ring := draw.GlyphStyle{Color: ink, Radius: 2 * glyphRadius, Shape: draw.RingGlyph{}}
	p := newPlot("Nodes", "Wall time, hours")
	p.Add(grid(true, true))
	var entries []entry
	var stops plotter.XYs
	lowest := math.Inf(1)
	for _, c := range curves {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		lowest = min(lowest, slices.Min(c.Hours))
	}
	several := false
	for _, c := range curves {
		first, last := c.Nodes[0], c.Nodes[len(c.Nodes)-1]
		if last = min(last, 2*c.Hours[0]*first/lowest); last > first { // not far below all wall times
			several = true
			p.Add(&plotter.Line{XYs: logPairs([]float64{first, last}, []float64{c.Hours[0], c.Hours[0] * first / last}), LineStyle: ideal})
		}
	}
	for i, c := range curves {
		points := logPairs(c.Nodes, c.Hours)
		e := entry{label: c.Name, glyph: glyph(i)}
		if len(points) > 1 {
			e.line = draw.LineStyle{Color: colour(i), Width: lineWidth} // dashes are for ideal scaling
			p.Add(&plotter.Line{XYs: points, LineStyle: e.line})
		}
		p.Add(&plotter.Scatter{XYs: points, GlyphStyle: e.glyph})
		entries = append(entries, e)
		for k, n := range c.Nodes {
			if n == c.Stops {
				stops = append(stops, points[k])
			}
		}
	}
	if several {
		entries = append(entries, entry{label: "if every node counted in full", line: ideal})
	}
	if len(stops) > 0 {
		p.Add(&plotter.Scatter{XYs: stops, GlyphStyle: ring})
		entries = append(entries, entry{label: "stops scaling", glyph: ring})
	}
	logAxis(&p.X, p.X.Min, p.X.Max)
	logAxis(&p.Y, p.Y.Min, p.Y.Max)
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// check reports why a curve cannot be drawn.
func (c ScalingCurve) check() error {
	if len(c.Nodes) == 0 {
		return errors.New("there are no numbers of nodes")
	}
	if len(c.Hours) != len(c.Nodes) {
		return fmt.Errorf("%d wall times but %d numbers of nodes", len(c.Hours), len(c.Nodes))
	}
	stops := c.Stops == 0
	for i, n := range c.Nodes {
		for _, v := range []float64{n, c.Hours[i]} {
			err := drawable(v)
			if err == nil && v < smallest {
				err = fmt.Errorf("%v is not above 0, where a logarithmic axis begins", v)
			}
			if err != nil {
				return fmt.Errorf("point %d: %w", i+1, err)
			}
		}
		if i > 0 && n <= c.Nodes[i-1] {
			return fmt.Errorf("point %d: %v nodes after %v; give them increasing", i+1, n, c.Nodes[i-1])
		}
		stops = stops || n == c.Stops
	}
	if !stops {
		return fmt.Errorf("it stops scaling at %v nodes, which is none of the numbers of nodes", c.Stops)
	}
	return nil
}
