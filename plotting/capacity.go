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
func Capacity(title string, memories []CapacityCurve) (*Figure, error) {
	f, err := capacity(title, memories)
	if err != nil {
		return nil, fmt.Errorf("drawing capacities: %w", err)
	}
	return f, nil
}

func capacity(title string, memories []CapacityCurve) (*Figure, error) {
	if len(memories) == 0 {
		return nil, errors.New("there are no memories")
	}
	if err := labelled("memory", namesOf(memories, func(m CapacityCurve) string { return m.Name })); err != nil {
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
		e := entry{label: m.Name}
		if m.Theory != nil {
			theory = true
			p.Add(trace(logPairs(m.Components, m.Theory), i))
			e.line = line(i)
		}
		if m.Measured != nil {
			measured = true
			p.Add(&plotter.Scatter{XYs: logPairs(m.Components, m.Measured), GlyphStyle: glyph(i)})
			e.glyph = glyph(i)
		}
		entries = append(entries, e)
	}
	if measured && theory {
		entries = append(entries, entry{label: "measured", glyph: disc(muted)}, entry{label: "expected", line: draw.LineStyle{Color: muted, Width: lineWidth}})
	}
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		logAxis(axis, axis.Min, axis.Max) // to which adding has brought them
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// check reports why the capacities of a memory cannot be drawn.
func (m CapacityCurve) check() error {
	if len(m.Components) == 0 {
		return errors.New("there are no numbers of components")
	}
	if m.Measured == nil && m.Theory == nil {
		return errors.New("there are neither measured nor expected capacities")
	}
	if len(m.Theory) == 1 {
		return errors.New("one expected capacity makes no line; give two, or none")
	}
	for _, v := range [][]float64{m.Measured, m.Theory} {
		if v != nil && len(v) != len(m.Components) {
			return fmt.Errorf("%d capacities but %d numbers of components", len(v), len(m.Components))
		}
	}
	for i, d := range m.Components {
		values := []float64{d}
		for _, v := range [][]float64{m.Measured, m.Theory} {
			if v != nil {
				values = append(values, v[i])
			}
		}
		for _, v := range values {
			err := drawable(v)
			if err == nil && v < smallest {
				err = fmt.Errorf("%v is not above 0, where a logarithmic axis begins", v)
			}
			if err != nil {
				return fmt.Errorf("point %d: %w", i+1, err)
			}
		}
		if i > 0 && d <= m.Components[i-1] {
			return fmt.Errorf("point %d: %v components after %v; give them increasing", i+1, d, m.Components[i-1])
		}
	}
	return nil
}

// logPairs returns points made of the base-10 logarithms of two lists.
func logPairs(x, y []float64) plotter.XYs {
	points := pairs(x, y)
	for i, p := range points {
		points[i] = plotter.XY{X: math.Log10(p.X), Y: math.Log10(p.Y)}
	}
	return points
}

// logAxis sets up a logarithmic axis for values whose logarithms are drawn: [plot.LogScale] would place the axis label as if
// it were linear.
func logAxis(a *plot.Axis, low, high float64) {
	pad := max(0.04*(high-low), 0.02)
	if high == low {
		pad = 0.15
	}
	a.Min, a.Max = low-pad, high+pad
	a.Tick.Marker = logTicks(a.Min, a.Max)
}
