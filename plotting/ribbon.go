package plotting

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// translucent returns the colour of a ribbon, which lets curves and ribbons behind it show through.
func translucent(c color.NRGBA) color.NRGBA {
	c.A = 0x30
	return c
}

// ribbon fills the area between low and high at the values x; if there is only one, it is a bar.
func ribbon(x, low, high []float64, c color.NRGBA) plot.Plotter {
	if len(x) == 1 {
		return &plotter.Line{
			XYs:       plotter.XYs{{X: x[0], Y: low[0]}, {X: x[0], Y: high[0]}},
			LineStyle: draw.LineStyle{Color: translucent(c), Width: 2 * glyphRadius},
		}
	}
	n := len(x)
	edge := make(plotter.XYs, 2*n)
	for i := range n {
		edge[i] = plotter.XY{X: x[i], Y: low[i]}
		edge[2*n-1-i] = plotter.XY{X: x[i], Y: high[i]}
	}
	return &plotter.Polygon{XYs: []plotter.XYs{edge}, Color: translucent(c)}
}

// swatch is the sample of a ribbon in a legend.
type swatch struct{}

// DrawGlyph implements [draw.GlyphDrawer].
func (swatch) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	x, y := sampleWidth/2, s.Radius
	c.FillPolygon(s.Color, []vg.Point{
		{X: at.X - x, Y: at.Y - y}, {X: at.X + x, Y: at.Y - y}, {X: at.X + x, Y: at.Y + y}, {X: at.X - x, Y: at.Y + y},
	})
}

// ribbonEntry returns the legend entry for ribbons; each ribbon has the colour of its curve.
func ribbonEntry(label string) entry {
	grey := translucent(color.NRGBA{R: ink.Y, G: ink.Y, B: ink.Y, A: 0xff})
	return entry{label: label, glyph: draw.GlyphStyle{Color: grey, Radius: 4, Shape: swatch{}}}
}

// mostRibbons is the number of ribbons that can overlap before they hide the curves.
const mostRibbons = 6
