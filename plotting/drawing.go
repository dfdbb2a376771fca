package plotting

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawing paints the body of a figure that has no axes of gonum/plot.
type drawing func(c *draw.Canvas)

// Plot implements [plot.Plotter].
func (d drawing) Plot(c draw.Canvas, _ *plot.Plot) { d(&c) }

// newDrawing lays out a figure whose body d paints on a canvas of the size width - 2 margin by height.
func newDrawing(title string, entries []entry, width, height vg.Length, d drawing) *Figure {
	p := newPlot("", "")
	p.HideAxes()
	p.Add(d)
	return newFigure(title, entries, p, width, height)
}

// level returns a style that brings the middle of capitals and figures to the height of the point.
func level(s text.Style) text.Style {
	e := s.FontExtents()
	s.YAlign = text.YAlignment((e.Ascent - 1.344*s.Font.Size) / (e.Ascent + e.Descent))
	return s
}

// aligned returns a style whose text begins at the point, is centred on it or ends there, at its height.
func aligned(s text.Style, x text.XAlignment) text.Style {
	s = level(s)
	s.XAlign = x
	return s
}

// turned returns a style whose text is turned to the left by an angle in radians.
func turned(s text.Style, angle float64) text.Style {
	s.Rotation = angle
	return s
}

// widest returns the width of the widest label.
func widest(s text.Style, labels []string) vg.Length {
	var w vg.Length
	for _, l := range labels {
		w = max(w, s.Width(l))
	}
	return w
}
