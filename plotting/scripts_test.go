package plotting

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// TestScriptsAreReplaced: characters that the font lacks are drawn with characters that it has.
func TestScriptsAreReplaced(t *testing.T) {
	s := plain(100)
	face := s.Handler.Cache().Lookup(s.Font, s.Font.Size)
	for _, letter := range slices.Concat(raised, lowered) {
		for _, r := range scriptRuns(string(letter), s.Font) {
			if r.font.Size >= s.Font.Size || r.rise == 0 || len(outline(face, vg.Point{}, r.text)) == 0 {
				t.Errorf("%c is drawn as %q, %v of %v high and raised by %v", letter, r.text, r.font.Size, s.Font.Size, r.rise)
			}
		}
	}
	if len(raised) != len(onTheRow) || len(lowered) != len(onTheRow) {
		t.Error("the lists of characters are not equally long")
	}
	got := ""
	for _, r := range scriptRuns("f⁻¹(x₁₂)", s.Font) {
		got += fmt.Sprintf("%q %.0f, ", r.text, r.rise)
	}
	if want := `"f" 0, "−1" 36, "(x" 0, "12" -14, ")" 0, `; got != want {
		t.Errorf("runs %s, want %s", got, want)
	}
}

// TestScriptsStandInLine: a line with a script begins, ends and stands where the same line without one does, whatever
// the alignment.
func TestScriptsStandInLine(t *testing.T) {
	at := vg.Point{X: 50, Y: 70}
	strings := func(line string, s text.Style) []*recorder.FillString {
		var c recorder.Canvas
		s.Handler.Draw(&c, line, s, at)
		var all []*recorder.FillString
		for _, a := range c.Actions {
			if f, ok := a.(*recorder.FillString); ok {
				all = append(all, f)
			}
		}
		return all
	}
	for _, x := range []text.XAlignment{text.XLeft, text.XCenter, text.XRight} {
		for _, y := range []text.YAlignment{text.YBottom, text.YCenter, text.YTop} {
			for _, angle := range []float64{0, math.Pi / 2, -1} {
				s := plain(10)
				s.XAlign, s.YAlign, s.Rotation = x, y, angle
				runs := strings("x²y", s)
				if len(runs) != 3 {
					t.Fatalf("%d runs", len(runs))
				}
				// x alone, drawn from the left by the width that stands before it.
				before := -s.Width("x²y") * vg.Length(-x)
				plain := strings("x", s)
				want := plain[0].Point.X - s.Width("x")*vg.Length(x) + before
				if got := runs[0].Point; math.Abs(float64(got.X-want)) > 1e-9 || math.Abs(float64(got.Y-plain[0].Point.Y)) > 1e-9 {
					t.Errorf("aligned %v %v, turned by %v: x stands at %v, want %v and %v", x, y, angle, got, want, plain[0].Point.Y)
				}
				end := runs[2].Point
				if math.Abs(float64(end.Y-runs[0].Point.Y)) > 1e-9 || math.Abs(float64(end.X+s.Width("y")-runs[0].Point.X-s.Width("x²y"))) > 1e-9 {
					t.Errorf("aligned %v %v, turned by %v: y stands at %v after %v", x, y, angle, end, runs[0].Point)
				}
				if rise := runs[1].Point.Y - end.Y; math.Abs(float64(rise-3.6)) > 1e-9 {
					t.Errorf("the exponent is raised by %v", rise)
				}
			}
		}
	}
}

// TestPowersOfTen: numbers are written in the characters that are drawn small.
func TestPowersOfTen(t *testing.T) {
	for got, want := range map[string]string{
		superscript(0): "⁰", superscript(-1234567890): "⁻¹²³⁴⁵⁶⁷⁸⁹⁰", subscript(120): "₁₂₀", powerOfTen(0): "", powerOfTen(-7): "×10⁻⁷",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
