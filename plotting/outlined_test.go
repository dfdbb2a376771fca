package plotting

import (
	"bytes"
	"math"
	"testing"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
)

// extent returns the smallest and the largest corner of a path.
func extent(path vg.Path) (low, high vg.Point) {
	low, high = vg.Point{X: math.MaxFloat64, Y: math.MaxFloat64}, vg.Point{X: -math.MaxFloat64, Y: -math.MaxFloat64}
	for _, c := range path {
		if c.Type == vg.CloseComp {
			continue
		}
		low = vg.Point{X: min(low.X, c.Pos.X), Y: min(low.Y, c.Pos.Y)}
		high = vg.Point{X: max(high.X, c.Pos.X), Y: max(high.Y, c.Pos.Y)}
	}
	return low, high
}

func TestOutline(t *testing.T) {
	s := style(100, stdfont.WeightNormal)
	face := s.Handler.Cache().Lookup(s.Font, s.Font.Size)
	at := vg.Point{X: 7, Y: 5}

	// Capitals of Liberation Sans are 1409 of 2048 units high and stand on the baseline.
	low, high := extent(outline(face, at, "H"))
	if math.Abs(float64(low.Y-5)) > 0.1 || math.Abs(float64(high.Y-5)-100*1409.0/2048) > 0.1 {
		t.Errorf("H reaches from %v to %v over the baseline", low.Y-5, high.Y-5)
	}
	// A gamma reaches below it.
	if low, _ := extent(outline(face, at, "γ")); low.Y > 5-15 {
		t.Errorf("γ reaches down to %v", low.Y-5)
	}
	for _, text := range []string{"AV", "syn, I = −3", "γβ ± …"} {
		low, high := extent(outline(face, at, text))
		if width := s.Width(text); low.X < 7-2 || high.X > 7+width+2 || high.X < 7+width-15 {
			t.Errorf("%q reaches from %v to %v, the text is %v wide", text, low.X-7, high.X-7, width)
		}
	}
	if path := outline(face, at, " "); len(path) != 0 {
		t.Errorf("a space has an outline: %v", path)
	}
}

func TestPDFHasNoFont(t *testing.T) {
	var b bytes.Buffer
	if err := figure(t).Write(&b, PDF); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("/FontFile")) {
		t.Error("letters come from a font, which holds code page 1252 alone")
	}
}
