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

// mostCompared is the maximum number of rows.
const mostCompared = 60

// Comparison draws differences from a reference with their intervals, a line at 0, and a band of practical equivalence from
// -rope to rope. Better and worse rows are drawn in colour, equivalent rows in black, undecided rows in grey. label names the
// axis, for example with the reference and the measure. Rows go from top to bottom.
func Comparison(title, label string, rope float64, rows []ComparedRow) (f *Figure, err error) {
	defer about(&err, "drawing a comparison")
	switch {
	case len(rows) == 0:
		return nil, errors.New("there are no rows")
	case len(rows) > mostCompared:
		return nil, fmt.Errorf("%d rows are too many for a figure; %d can be drawn", len(rows), mostCompared)
	case !(rope >= 0):
		return nil, fmt.Errorf("a region of practical equivalence of %v", rope)
	}
	low, high := -rope, rope
	var names []string
	for _, r := range rows {
		if r.Verdict != 0 && r.Same {
			return nil, fmt.Errorf("%s: it is the same and has the verdict %d", r.Name, r.Verdict)
		}
		if err := checkInterval("difference", r.Low, r.Difference, r.High); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, err)
		}
		low, high, names = min(low, r.Low), max(high, r.High), append(names, r.Name)
	}
	p := newPlot(label, "")
	p.X.Min, p.X.Max = span(low, high)
	p.X.Tick.Marker = ticksUpTo(7, p.X.Min, p.X.Max, false)
	nameRows(&p.Y, names)
	p.Add(painting(func(c *draw.Canvas, p *plot.Plot) {
		x, _ := p.Transforms(c)
		fill(c, rule, box(x(-rope), c.Min.Y, x(rope), c.Max.Y))
	}))
	p.Add(grid(true, false), segment(plotter.XY{Y: p.Y.Min}, plotter.XY{Y: p.Y.Max}, chance()))
	p.Add(painting(func(c *draw.Canvas, p *plot.Plot) {
		for i, r := range rows {
			drawInterval(c, p, r.Low, r.Difference, r.High, float64(len(rows)-1-i), r.glyph())
		}
	}))
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
