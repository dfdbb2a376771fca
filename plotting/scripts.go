package plotting

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// scripted is a text handler that sets superscripts and subscripts as smaller digits and signs: of the former the fonts
// have no ⁰, ⁹, ⁺ and ⁻, which would be left out, and of the latter some as wide as a digit.
type scripted struct{ text.Handler }

// textHandler is that of the theme.
var textHandler = scripted{plot.DefaultTextHandler}

// What raised and lowered characters stand for, in the same order.
const (
	raised   = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾"
	lowered  = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎"
	onTheRow = "0123456789+−=()"
)

// scriptRun is a part of a line that is set in one size at one height.
type scriptRun struct {
	text string
	font font.Font
	rise vg.Length
}

// scriptRuns splits a line.
func scriptRuns(line string, f font.Font) []scriptRun {
	small := f
	small.Size *= 0.7
	var runs []scriptRun
	for _, letter := range line {
		r := scriptRun{string(letter), f, 0}
		for rise, letters := range map[vg.Length]string{0.36: raised, -0.14: lowered} {
			if i := strings.IndexRune(letters, letter); i >= 0 {
				at := len([]rune(letters[:i]))
				r = scriptRun{string([]rune(onTheRow)[at]), small, rise * f.Size}
			}
		}
		if n := len(runs); n > 0 && runs[n-1].rise == r.rise {
			runs[n-1].text += r.text
		} else {
			runs = append(runs, r)
		}
	}
	return runs
}

// Box implements [text.Handler].
func (h scripted) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Handler.Box(line, f)
	for _, r := range scriptRuns(line, f) {
		w, _, _ := h.Handler.Box(r.text, r.font)
		width += w
	}
	return width, height, depth
}

// Draw implements [text.Handler]. Text of several lines has no scripts.
func (h scripted) Draw(c vg.Canvas, line string, s text.Style, at vg.Point) {
	runs := scriptRuns(line, s.Font)
	if len(runs) < 2 && !strings.ContainsAny(line, raised+lowered) || strings.Contains(line, "\n") {
		h.Handler.Draw(c, line, s, at)
		return
	}
	// The baseline where the handler of plain text has it, from which each run is drawn in turn.
	extents := h.Extents(s.Font)
	x := s.Width(line) * vg.Length(s.XAlign)
	baseline := (extents.Ascent+extents.Descent)*vg.Length(s.YAlign) - extents.Ascent + s.Font.Size
	sin, cos := math.Sincos(s.Rotation)
	s.XAlign, s.YAlign = text.XLeft, text.YBottom
	for _, r := range runs {
		bare := strings.TrimLeft(r.text, " ") // SVG drops spaces that a text begins with
		blank, _, _ := h.Handler.Box(r.text[:len(r.text)-len(bare)], r.font)
		x += blank
		s.Font = r.font
		y := baseline + r.rise + h.Extents(r.font).Ascent - r.font.Size
		h.Handler.Draw(c, bare, s, at.Add(vg.Point{
			X: x*vg.Length(cos) - y*vg.Length(sin),
			Y: x*vg.Length(sin) + y*vg.Length(cos),
		}))
		w, _, _ := h.Handler.Box(bare, r.font)
		x += w
	}
}
