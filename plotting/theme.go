package plotting

import (
	"image/color"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Measures shared by all figures.
const (
	figureWidth = 6.5 * vg.Inch // a text column
	squareWidth = 4.6 * vg.Inch // width of a figure with a square data area
	margin      = 10 * vg.Length(1)
	gap         = 8 * vg.Length(1) // between title, legend and plot
	glyphRadius = 3 * vg.Length(1)
	lineWidth   = 1.4 * vg.Length(1)
	dotsPerInch = 192
)

// Greys of everything that is not data.
var (
	ink   = color.Gray{Y: 0x22}
	muted = color.Gray{Y: 0x80}
	rule  = color.Gray{Y: 0xdd}
	band  = color.Gray{Y: 0xf5}
)

// palette is that of Okabe and Ito without yellow, which is lost on white paper.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x22, 0x22, 0x22, 0xff}, // black
}

// The numbers of shapes and of dashes have no common factor with that of colours, so that their combinations repeat late.
var (
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{},
	}
	dashes = [][]vg.Length{nil, {6, 2}, {2, 2}, {8, 2, 2, 2}}

	mostCurves = len(palette) * len(dashes) // that look different
)

// colour returns the colour of the i-th setting or curve.
func colour(i int) color.NRGBA { return palette[i%len(palette)] }

// glyph returns the marker of the i-th setting.
func glyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: colour(i), Radius: glyphRadius, Shape: shapes[i%len(shapes)]}
}

// line returns the stroke of the i-th curve.
func line(i int) draw.LineStyle {
	return draw.LineStyle{Color: colour(i), Width: lineWidth, Dashes: dashes[i%len(dashes)]}
}

// faded returns a tint of a colour for drawing behind the data. It is opaque, so overlaps look the same.
func faded(c color.NRGBA) color.NRGBA {
	tint := func(v uint8) uint8 { return uint8(255 - (255-int(v))*2/5) }
	return color.NRGBA{R: tint(c.R), G: tint(c.G), B: tint(c.B), A: 0xff}
}

// plain returns the theme's text style of a size in points.
func plain(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: textHandler}
}

// bold is plain in bold letters.
func bold(size vg.Length) text.Style {
	s := plain(size)
	s.Font.Weight = stdfont.WeightBold
	return s
}

func titleStyle() text.Style {
	s := bold(12)
	s.YAlign = draw.YTop
	return s
}

func legendStyle() text.Style {
	s := plain(9)
	s.YAlign = draw.YCenter
	return s
}

// aligned returns a style whose text begins at the point, is centred on it or ends there. The middle of capitals and figures
// is at the height of the point.
func aligned(s text.Style, x text.XAlignment) text.Style {
	e := s.FontExtents()
	s.XAlign, s.YAlign = x, text.YAlignment((e.Ascent-1.344*s.Font.Size)/(e.Ascent+e.Descent))
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

// box returns the rectangle between two corners, the second to the right and above.
func box(left, bottom, right, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
}

// fill paints a rectangle.
func fill(c *draw.Canvas, with color.Color, r vg.Rectangle) {
	c.SetColor(with)
	c.Fill(r.Path())
}

// frame strokes the outline of a rectangle.
func frame(c *draw.Canvas, with draw.LineStyle, r vg.Rectangle) {
	c.SetLineStyle(with)
	c.Stroke(r.Path())
}

// newPlot returns empty axes in the theme.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the figure paints the background
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		label, tick := plain(10), plain(9)
		label.XAlign, label.YAlign = axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign
		label.Rotation = axis.Label.TextStyle.Rotation
		tick.XAlign, tick.YAlign = axis.Tick.Label.XAlign, axis.Tick.Label.YAlign
		axis.Label.TextStyle, axis.Tick.Label = label, tick
		axis.Label.Padding = 4
		axis.Padding = 0
		axis.Color, axis.Width = muted, 0.6
		axis.Tick.Color, axis.Tick.Width, axis.Tick.Length = muted, 0.6, 3
	}
	return p
}

// chance returns the stroke of lines that show the result of guessing.
func chance() draw.LineStyle {
	return draw.LineStyle{Color: muted, Width: 1, Dashes: []vg.Length{1.5, 2.5}}
}

// grid returns grid lines at the labelled ticks.
func grid(vertical, horizontal bool) *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical = draw.LineStyle{Color: rule, Width: 0.5}
	g.Horizontal = g.Vertical
	if !vertical {
		g.Vertical.Color = nil
	}
	if !horizontal {
		g.Horizontal.Color = nil
	}
	return g
}
