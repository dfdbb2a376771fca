package plotting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// CapacityCurve is the number of patterns that an associative memory stores, by number of components.
type CapacityCurve struct {
	Name       string
	Components []float64 // numbers of components per pattern, increasing
	Measured   []float64 // measured number of patterns for each; nil if there is only theory
	Theory     []float64 // expected number of patterns for each; nil if unknown
}

// Capacity draws measured capacities as markers and expected ones as lines. The axes are logarithmic, so a power of the
// number of components is a straight line.
func Capacity(title string, memories []CapacityCurve) (f *Figure, err error) {
	defer about(&err, "drawing capacities")
	if len(memories) == 0 {
		return nil, errors.New("there are no memories")
	}
	if err := labelled("memory", memories, func(m CapacityCurve) string { return m.Name }); err != nil {
		return nil, err
	}
	p := newPlot("Components of a pattern", "Patterns stored")
	p.Add(grid(true, true))
	var entries []entry
	measured, theory := false, false
	for i, m := range memories {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		e, x := entry{label: m.Name}, logs(m.Components)
		if m.Theory != nil {
			theory = true
			var curve plot.Plotter
			curve, e = trace(m.Name, pairs(x, logs(m.Theory)), i)
			p.Add(curve)
		}
		if m.Measured != nil {
			measured = true
			p.Add(&plotter.Scatter{XYs: pairs(x, logs(m.Measured)), GlyphStyle: glyph(i)})
			e.glyph = glyph(i)
		}
		entries = append(entries, e)
	}
	if measured && theory {
		entries = append(entries, entry{label: "measured", glyph: disc(muted)}, entry{label: "expected", line: draw.LineStyle{Color: muted, Width: lineWidth}})
	}
	logAxis(&p.X)
	logAxis(&p.Y)
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// check reports why the capacities of a memory cannot be drawn.
func (m CapacityCurve) check() error {
	switch {
	case len(m.Components) == 0:
		return errors.New("there are no numbers of components")
	case m.Measured == nil && m.Theory == nil:
		return errors.New("there are neither measured nor expected capacities")
	case len(m.Theory) == 1:
		return errors.New("one expected capacity makes no line; give two, or none")
	}
	for _, v := range [][]float64{m.Measured, m.Theory} {
		if v != nil && len(v) != len(m.Components) {
			return fmt.Errorf("%d capacities but %d numbers of components", len(v), len(m.Components))
		}
		if err := each("capacity", v, positive); err != nil {
			return err
		}
	}
	return increasing("number of components", m.Components, positive)
}

// logs returns base-10 logarithms.
func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log10(v)
	}
	return out
}

// logAxis sets up a logarithmic axis for values whose logarithms are drawn: [plot.LogScale] would place the axis label as if
// it were linear. Adding has brought the axis to the values.
func logAxis(a *plot.Axis) {
	pad := max(0.04*(a.Max-a.Min), 0.02)
	if a.Max == a.Min {
		pad = 0.15
	}
	a.Min, a.Max = a.Min-pad, a.Max+pad
	a.Tick.Marker = logTicks(a.Min, a.Max)
}
