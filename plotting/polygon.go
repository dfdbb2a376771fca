package plotting

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// polygon is a marker: a regular polygon, or a circle if it has no corners.
type polygon struct {
	corners int
	turn    float64 // angle of the first corner, in radians from the right
	open    bool    // draw an outline filled with white
}

var _ draw.GlyphDrawer = polygon{}

// DrawGlyph implements [draw.GlyphDrawer]. All shapes cover about the same area as a circle of the style's radius.
func (g polygon) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	path := g.path(pt, sty.Radius)
	if !g.open {
		c.SetColor(sty.Color)
		c.Fill(path)
		return
	}
	c.SetColor(color.White)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: sty.Color, Width: 0.9})
	c.Stroke(path)
}

// path returns the outline around pt.
func (g polygon) path(pt vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	if g.corners == 0 {
		path.Move(vg.Point{X: pt.X + radius, Y: pt.Y})
		path.Arc(pt, radius, 0, 2*math.Pi)
		path.Close()
		return path
	}
	n := float64(g.corners)
	r := float64(radius) * math.Sqrt(2*math.Pi/(n*math.Sin(2*math.Pi/n)))
	for i := range g.corners {
		sin, cos := math.Sincos(g.turn + 2*math.Pi*float64(i)/n)
		corner := vg.Point{X: pt.X + vg.Length(r*cos), Y: pt.Y + vg.Length(r*sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	return path
}

// Polygons by shape.
var (
	circle   = polygon{}
	square   = polygon{corners: 4, turn: math.Pi / 4}
	upright  = polygon{corners: 3, turn: math.Pi / 2}
	diamond  = polygon{corners: 4, turn: math.Pi / 2}
	inverted = polygon{corners: 3, turn: -math.Pi / 2}
)
