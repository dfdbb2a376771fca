package plotting

import (
	"image"
	"image/color"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	gonumfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgpdf"
)

// outlined is a PDF canvas that draws text as filled outlines: vgpdf's own text supports only code page 1252, which has no
// Greek, and treats UTF-8 as if it were that. It also draws images upright, which vgpdf draws upside down.
type outlined struct{ *vgpdf.Canvas }

// SetColor sets the colour of what is drawn next. vgpdf ignores that colour components are multiplied by the opacity, and
// would draw ribbons nearly black.
func (c outlined) SetColor(with color.Color) {
	if with == nil {
		with = color.Black
	}
	c.Canvas.SetColor(straight(color.NRGBAModel.Convert(with).(color.NRGBA)))
}

// straight is a colour whose components are not multiplied by its opacity.
type straight color.NRGBA

// RGBA returns the components of [color.NRGBA] before multiplication by the opacity.
func (s straight) RGBA() (r, g, b, a uint32) {
	return 0x101 * uint32(s.R), 0x101 * uint32(s.G), 0x101 * uint32(s.B), 0x101 * uint32(s.A)
}

// DrawImage draws an image that fills a rectangle.
func (c outlined) DrawImage(r vg.Rectangle, m image.Image) {
	c.Push()
	c.Translate(vg.Point{Y: r.Min.Y + r.Max.Y})
	c.Scale(1, -1)
	c.Canvas.DrawImage(r, m)
	c.Pop()
}

// FillString draws a line of text with its baseline starting at pt.
func (c outlined) FillString(face gonumfont.Face, pt vg.Point, text string) {
	if path := outline(face, pt, text); len(path) > 0 {
		c.Fill(path)
	}
}

// outline returns the outlines of a line of text with its baseline starting at pt. Characters that the font lacks are left
// out.
func outline(face gonumfont.Face, pt vg.Point, text string) vg.Path {
	var path vg.Path
	var buf sfnt.Buffer
	em := fixed.Int26_6(face.Face.UnitsPerEm())
	scale := face.Font.Size / vg.Length(em)
	var x fixed.Int26_6
	at := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: pt.X + vg.Length(x+p.X)*scale, Y: pt.Y - vg.Length(p.Y)*scale}
	}
	var previous sfnt.GlyphIndex
	for i, letter := range text {
		index, err := face.Face.GlyphIndex(&buf, letter)
		if err != nil {
			continue
		}
		if i > 0 {
			if kern, err := face.Face.Kern(&buf, previous, index, em, font.HintingNone); err == nil {
				x += kern
			}
		}
		segments, err := face.Face.LoadGlyph(&buf, index, em, nil)
		if err != nil {
			continue
		}
		for k, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if k > 0 {
					path.Close()
				}
				path.Move(at(s.Args[0]))
			case sfnt.SegmentOpLineTo:
				path.Line(at(s.Args[0]))
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(at(s.Args[0]), at(s.Args[1]))
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2]))
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		if advance, err := face.Face.GlyphAdvance(&buf, index, em, font.HintingNone); err == nil {
			x += advance
		}
		previous = index
	}
	return path
}
