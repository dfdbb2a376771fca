package plotting

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is one entry of the legend: a marker or a stroke, and its meaning.
type entry struct {
	label string
	glyph draw.GlyphStyle // drawn if it has a shape
	line  draw.LineStyle  // drawn if it has a width
	x     vg.Length       // from the left, set by arrange
}

// row is a line of entries.
type row []entry

// Measures of the legend.
const (
	sampleWidth  = 20 * vg.Length(1) // of the marker or stroke
	sampleGap    = 4 * vg.Length(1)
	columnGap    = 14 * vg.Length(1)
	legendRise   = 1 * vg.Length(1) // aligns the middle of lower-case letters with the sample
	legendLeaded = 1.25             // line height as a multiple of the font's
)

// arrange puts entries side by side, in order, in as many rows as the width requires.
func arrange(entries []entry, width vg.Length) []row {
	s := legendStyle()
	var rows []row
	end := width
	for _, e := range entries {
		e.label = fit(s, e.label, width-sampleWidth-sampleGap)
		w := sampleWidth + sampleGap + s.Width(e.label)
		if len(rows) == 0 || end+columnGap+w > width {
			rows = append(rows, nil)
			end = -columnGap
		}
		e.x = end + columnGap
		end = e.x + w
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
	}
	return rows
}

// rowHeight returns the height of a row of the legend.
func rowHeight() vg.Length { return legendLeaded * legendStyle().FontExtents().Height }

// legendHeight returns the space that a legend takes, with the gap below.
func legendHeight(rows []row) vg.Length {
	if len(rows) == 0 {
		return 0
	}
	return vg.Length(len(rows))*rowHeight() + gap
}

// drawLegend draws rows from the top left corner of c downwards.
func drawLegend(c draw.Canvas, rows []row) {
	s := legendStyle()
	for i, r := range rows {
		y := c.Max.Y - (vg.Length(i)+0.5)*rowHeight()
		for _, e := range r {
			x := c.Min.X + e.x
			if e.line.Width > 0 {
				c.StrokeLine2(e.line, x, y, x+sampleWidth, y)
			}
			if e.glyph.Shape != nil {
				c.DrawGlyphNoClip(e.glyph, vg.Point{X: x + sampleWidth/2, Y: y})
			}
			c.FillText(s, vg.Point{X: x + sampleWidth + sampleGap, Y: y + legendRise}, e.label)
		}
	}
}
