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

// style returns the theme's text style of a size in points.
func style(size vg.Length, weight stdfont.Weight) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
		Handler: textHandler,
	}
}

func titleStyle() text.Style {
	s := style(12, stdfont.WeightBold)
	s.YAlign = draw.YTop
	return s
}

func legendStyle() text.Style {
	s := style(9, stdfont.WeightNormal)
	s.YAlign = draw.YCenter
	return s
}

// newPlot returns empty axes in the theme.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the figure paints the background
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		label, tick := style(10, stdfont.WeightNormal), style(9, stdfont.WeightNormal)
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
