package plotting

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// scripted is a text handler that draws superscripts and subscripts as smaller digits and signs: the fonts lack the
// superscripts ⁰, ⁹, ⁺ and ⁻, and some of their subscripts are as wide as a digit.
type scripted struct{ text.Handler }

// textHandler is the text handler of the theme.
var textHandler = scripted{plot.DefaultTextHandler}

// Superscript and subscript characters and their plain forms, in the same order.
var (
	raised   = []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾")
	lowered  = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
	onTheRow = []rune("0123456789+−=()")
)

// scriptRun is a part of a line that is set in one size at one height.
type scriptRun struct {
	text string
	font font.Font
	rise vg.Length
}

// script returns the plain form of a character, and how far to raise it, as a share of the font size.
func script(letter rune) (plain rune, rise vg.Length) {
	if i := slices.Index(raised, letter); i >= 0 {
		return onTheRow[i], 0.36
	}
	if i := slices.Index(lowered, letter); i >= 0 {
		return onTheRow[i], -0.14
	}
	return letter, 0
}

// scriptRuns splits a line.
func scriptRuns(line string, f font.Font) []scriptRun {
	var runs []scriptRun
	for line != "" {
		first, _ := utf8.DecodeRuneInString(line)
		_, rise := script(first)
		end := strings.IndexFunc(line, func(letter rune) bool {
			_, r := script(letter)
			return r != rise
		})
		if end < 0 {
			end = len(line)
		}
		run := scriptRun{line[:end], f, rise * f.Size}
		if rise != 0 {
			run.font.Size *= 0.7
			run.text = strings.Map(func(letter rune) rune {
				plain, _ := script(letter)
				return plain
			}, run.text)
		}
		runs, line = append(runs, run), line[end:]
	}
	return runs
}

// superscript and subscript write an integer in raised or lowered characters.
func superscript(n int) string { return written(n, raised) }
func subscript(n int) string   { return written(n, lowered) }

// written writes an integer in letters, which correspond to those of onTheRow.
func written(n int, letters []rune) string {
	return strings.Map(func(digit rune) rune { return letters[slices.Index(onTheRow, digit)] }, minus(strconv.Itoa(n)))
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
	if len(runs) == 0 || len(runs) == 1 && runs[0].rise == 0 || strings.Contains(line, "\n") {
		h.Handler.Draw(c, line, s, at)
		return
	}
	// The runs are drawn in turn from the same baseline that the plain handler uses.
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
