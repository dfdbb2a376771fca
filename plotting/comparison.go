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

// ComparedRow is the difference in one measure between a reference and another setting on one data set.
type ComparedRow struct {
	Name                  string // name of the other setting, with the data set if there are several
	Difference, Low, High float64
	Verdict               int  // on the reference: 1 better, -1 worse, 0 neither
	Same                  bool // equivalent in practice; a row with neither is undecided
}

// Comparison draws differences from a reference with their intervals, a line at 0, and a band of practical equivalence from
// -rope to rope. Better and worse rows are drawn in colour, equivalent rows in black, undecided rows in grey. label names the
// axis, for example with the reference and the measure. Rows go from top to bottom.
func Comparison(title, label string, rope float64, rows []ComparedRow) (*Figure, error) {
	const most = 60
	switch {
	case len(rows) == 0:
		return nil, errors.New("drawing a comparison: there are no rows")
	case len(rows) > most:
		return nil, fmt.Errorf("drawing a comparison: %d rows are too many for a figure; %d can be drawn", len(rows), most)
	case !(rope >= 0):
		return nil, fmt.Errorf("drawing a comparison: a region of practical equivalence of %v", rope)
	}
	low, high := -rope, rope
	for _, r := range rows {
		for _, v := range []float64{r.Difference, r.Low, r.High} {
			if err := drawable(v); err != nil {
				return nil, fmt.Errorf("drawing a comparison: %s: %w", r.Name, err)
			}
		}
		if r.Verdict != 0 && r.Same {
			return nil, fmt.Errorf("drawing a comparison: %s: it is the same and has the verdict %d", r.Name, r.Verdict)
		}
		if r.Low > r.Difference || r.Difference > r.High {
			return nil, fmt.Errorf("drawing a comparison: %s: the difference %v is not in its interval [%v, %v]", r.Name, r.Difference, r.Low, r.High)
		}
		low, high = min(low, r.Low), max(high, r.High)
	}
	p := newPlot(label, "")
	p.X.Min, p.X.Max = span(low, high)
	p.X.Tick.Marker = decimalTicks(p.X.Min, p.X.Max, false)
	p.Y.Min, p.Y.Max = -0.5, float64(len(rows))-0.5
	p.Y.Width, p.Y.Tick.Length = 0, 0
	var ticks []plot.Tick
	for i, r := range rows {
		ticks = append(ticks, plot.Tick{Value: float64(len(rows) - 1 - i), Label: fit(p.Y.Tick.Label, r.Name, nameWidth)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Add(equivalence(rope), grid(true, false))
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: 0, Y: p.Y.Min}, {X: 0, Y: p.Y.Max}}, LineStyle: chance()})
	p.Add(compared(rows))
	var entries []entry
	for _, kind := range []struct {
		label string
		of    ComparedRow
	}{
		{"better", ComparedRow{Verdict: 1}}, {"worse", ComparedRow{Verdict: -1}}, {"no difference", ComparedRow{Same: true}}, {"we cannot tell", ComparedRow{}},
	} {
		if slices.ContainsFunc(rows, func(r ComparedRow) bool { return r.Verdict == kind.of.Verdict && r.Same == kind.of.Same }) {
			entries = append(entries, entry{label: kind.label, glyph: kind.of.glyph()})
		}
	}
	if rope > 0 {
		entries = append(entries, entry{label: fmt.Sprintf("too small to matter: ±%v", rope), line: draw.LineStyle{Color: rule, Width: 7}})
	}
	return newFigure(title, entries, p, figureWidth, vg.Length(len(rows))*1.5*rowPitch+34), nil
}

// glyph returns the marker of a verdict.
func (r ComparedRow) glyph() draw.GlyphStyle {
	switch {
	case r.Verdict > 0:
		return glyph(0)
	case r.Verdict < 0:
		return glyph(1)
	case r.Same:
		return draw.GlyphStyle{Color: ink, Radius: glyphRadius, Shape: shapes[2]}
	}
	return draw.GlyphStyle{Color: muted, Radius: glyphRadius, Shape: draw.RingGlyph{}}
}

// equivalence draws the region of practical equivalence as a shaded band.
type equivalence float64

// Plot implements [plot.Plotter].
func (r equivalence) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	left, right := x(-float64(r)), x(float64(r))
	c.FillPolygon(rule, []vg.Point{{X: left, Y: c.Min.Y}, {X: right, Y: c.Min.Y}, {X: right, Y: c.Max.Y}, {X: left, Y: c.Max.Y}})
}

// compared draws the rows of a comparison.
type compared []ComparedRow

// Plot implements [plot.Plotter].
func (rows compared) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for i, r := range rows {
		style, middle := r.glyph(), y(float64(len(rows)-1-i))
		bar := draw.LineStyle{Color: style.Color, Width: lineWidth}
		c.StrokeLine2(bar, x(r.Low), middle, x(r.High), middle)
		for _, end := range []float64{r.Low, r.High} {
			c.StrokeLine2(bar, x(end), middle-2.5, x(end), middle+2.5)
		}
		c.DrawGlyph(style, vg.Point{X: x(r.Difference), Y: middle})
	}
}
