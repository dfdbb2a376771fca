package plotting

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// svg is an SVG canvas for readers who may not have the font: text falls back to other fonts and keeps the width that it has
// in the figure's font. It also labels images correctly as PNG; vgsvg labels them JPEG.
type svg struct {
	*vgsvg.Canvas
	widths *[]string // widths of the texts, in order; "" if the font lacks a letter
}

func newSVG(w, h vg.Length) svg { return svg{vgsvg.New(w, h), new([]string)} }

// FillString implements [vg.Canvas]. Browsers drop the blanks around a text, so its place is moved by their width.
func (c svg) FillString(face font.Face, at vg.Point, text string) {
	inner := strings.TrimLeft(text, " ")
	at.X += face.Width(text[:len(text)-len(inner)])
	if text = strings.TrimRight(inner, " "); text == "" {
		return
	}
	width := ""
	if drawn(face, text) {
		width = fmt.Sprintf(` textLength="%.4g" lengthAdjust="spacingAndGlyphs"`, face.Width(text).Points())
	}
	*c.widths = append(*c.widths, width)
	c.Canvas.FillString(face, at, text)
}

var (
	// textStyle matches the style that vgsvg gives a text, with the weight and the rest that varies.
	textStyle = regexp.MustCompile(`\n\tstyle="font-family:[^;]*;font-variant:normal;font-weight:(normal|bold);font-style:normal;([^"]*)">`)
	firstText = []byte("<text ")
)

// drawn reports whether the font has every letter of a text.
func drawn(face font.Face, text string) bool {
	var buf sfnt.Buffer
	for _, letter := range text {
		if index, err := face.Face.GlyphIndex(&buf, letter); err != nil || index == 0 {
			return false
		}
	}
	return text != ""
}

// WriteTo implements [io.WriterTo]. Quotes within text are escaped, so only attributes are changed.
func (c svg) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if _, err := c.Canvas.WriteTo(&b); err != nil {
		return 0, err
	}
	var out bytes.Buffer
	for i, part := range bytes.SplitAfter(b.Bytes(), firstText) {
		if i > 0 {
			part = textStyle.ReplaceAllFunc(part, func(style []byte) []byte {
				match := textStyle.FindSubmatch(style)
				weight := ""
				if string(match[1]) == "bold" {
					weight = "font-weight:bold;"
				}
				return fmt.Appendf(nil, `%s style="%s%s">`, (*c.widths)[i-1], weight, match[2])
			})
		}
		out.Write(part)
	}
	const jpg, png, group, fonts = `xlink:href="data:image/jpg;`, `xlink:href="data:image/png;`, "<g transform", `<g font-family="Liberation Sans,Arial,Helvetica,sans-serif" transform`
	n, err := strings.NewReplacer(jpg, png).WriteString(w, strings.Replace(out.String(), group, fonts, 1))
	return int64(n), err
}
