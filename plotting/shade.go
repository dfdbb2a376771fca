package plotting

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	colormap "gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// blues is a colour map from dark to pale with a single hue. Its lightness in CIELAB rises evenly, so equal differences look
// equal, even in greyscale. The hue is constant (247°) in Oklab, because a constant hue in CIELAB drifts to purple.
var blues = func() colormap.ColorMap {
	var controls []color.Color
	for _, c := range []uint32{0x07263e, 0x114b77, 0x1b67a2, 0x3185ca, 0x5aa5e6, 0x8dc4f6, 0xc4e2fe, 0xf6fbff} {
		controls = append(controls, color.NRGBA{R: uint8(c >> 16), G: uint8(c >> 8), B: uint8(c), A: 0xff})
	}
	m, err := moreland.NewLuminance(controls)
	if err != nil {
		panic(err) // the colours are in order of lightness
	}
	m.SetMin(0)
	m.SetMax(1)
	return m
}()

// shading maps values to shades, light for low and dark for high.
type shading struct{ low, high float64 }

// unit is the scale of shares: it always ends at 1, so that figures are comparable.
var unit = shading{0, 1}

// shadingOf covers values and 0.
func shadingOf(values []float64) shading {
	var s shading
	for _, v := range values {
		s.low, s.high = min(s.low, v), max(s.high, v)
	}
	if s.high-s.low < smallest {
		s.high = s.low + 1
	}
	return s
}

// at returns the shade of a value.
func (s shading) at(v float64) color.NRGBA {
	c, err := blues.At(1 - min(max((v-s.low)/(s.high-s.low), 0), 1))
	if err != nil {
		return color.NRGBA{A: 0xff} // NaN, which drawable refuses
	}
	return color.NRGBAModel.Convert(c).(color.NRGBA)
}

// luminance returns the relative luminance of WCAG 2.1: 0 for black, 1 for white.
func luminance(c color.Color) float64 {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	linear := func(v uint8) float64 {
		if x := float64(v) / 255; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		} else {
			return x / 12.92
		}
	}
	return 0.2126*linear(n.R) + 0.7152*linear(n.G) + 0.0722*linear(n.B)
}

// contrast returns the contrast ratio of WCAG 2.1, from 1 for equal colours to 21 for black on white.
func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

// inkOn returns the text colour, black or white, that is more readable on a background.
func inkOn(background color.Color) color.Color {
	if contrast(color.Black, background) >= contrast(color.White, background) {
		return color.Black
	}
	return color.White
}

// Measures of a colour bar.
const (
	barSize = 9 * vg.Length(1) // across
	barTick = 2.5 * vg.Length(1)
)

// drawBar draws the shades from low to high: upwards along a vertical bar, to the right along a horizontal one.
func (s shading) drawBar(c *draw.Canvas, r vg.Rectangle, upwards bool) {
	const steps = 64
	size, rest := r.Size(), r // each step paints all that is left, so that no seam shows
	for i := range steps {
		if at := vg.Length(i) / steps; upwards {
			rest.Min.Y = r.Min.Y + at*size.Y
		} else {
			rest.Min.X = r.Min.X + at*size.X
		}
		fill(c, s.at(s.low+(s.high-s.low)*(float64(i)+0.5)/steps), rest)
	}
	frame(c, draw.LineStyle{Color: muted, Width: 0.5}, r)
}

// drawScale draws the shades in a vertical bar with ticks and numbers on its right, and a label that ends at right.
func (s shading) drawScale(c *draw.Canvas, bar vg.Rectangle, tick draw.LineStyle, label string, right vg.Length) {
	s.drawBar(c, bar, true)
	for _, t := range s.ticks() {
		y := bar.Min.Y + vg.Length((t.Value-s.low)/(s.high-s.low))*bar.Size().Y
		c.StrokeLine2(tick, bar.Max.X, y, bar.Max.X+barTick, y)
		c.FillText(aligned(plain(9), draw.XLeft), vg.Point{X: bar.Max.X + barTick + 2, Y: y}, t.Label)
	}
	text := turned(aligned(plain(10), draw.XCenter), math.Pi/2)
	c.FillText(text, vg.Point{X: right - text.Font.Size/2, Y: (bar.Min.Y + bar.Max.Y) / 2}, label)
}

// ticks returns up to five round values from low to high.
func (s shading) ticks() plot.ConstantTicks {
	ticks := ticksUpTo(7, s.low, s.high, false)
	if len(ticks) > 5 {
		ticks = ticksUpTo(7, s.low, s.high+(s.high-s.low), false) // in steps twice as wide
	}
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return t.Value > s.high+1e-9*(s.high-s.low) })
}

// shortly formats a value with about two significant digits, and all values of a table in the same way.
func (s shading) shortly(v float64) string {
	switch size := max(math.Abs(s.low), math.Abs(s.high)); {
	case 0.1 <= size && size < 100:
		return minus(strconv.FormatFloat(v, 'f', 2, 64))
	case 100 <= size && size < 1e6:
		return minus(strconv.FormatFloat(v, 'f', 0, 64))
	}
	return minus(strconv.FormatFloat(v, 'g', 2, 64))
}

// minus replaces hyphens by minus signs.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }
