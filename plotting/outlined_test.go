package plotting

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

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
	s := plain(100)
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

// pdf returns a figure as PDF, and its streams.
func pdf(t *testing.T, f *Figure, err error) (whole, page []byte) {
	t.Helper()
	must(t, err)
	var b bytes.Buffer
	must(t, f.Write(&b, PDF))
	for _, part := range bytes.SplitAfter(b.Bytes(), []byte("stream\n")) {
		if z, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			if content, err := io.ReadAll(z); err == nil || len(content) > 0 { // up to the end of the stream
				page = append(page, content...)
			}
		}
	}
	return b.Bytes(), page
}

// TestPDFColours: text uses no font, because that would support only code page 1252. A ribbon has its curve's colour and an
// opacity, as in the other formats.
func TestPDFColours(t *testing.T) {
	f, err := WinnerTransfers("γ", []TransferCurve{{"a", [][]float64{{0.1, 0.2}, {0.3, 0.4}}}})
	whole, page := pdf(t, f, err)
	if bytes.Contains(whole, []byte("/FontFile")) {
		t.Error("letters come from a font")
	}
	fill := func(r, g, b uint32) []byte {
		return fmt.Appendf(nil, "%.3f %.3f %.3f rg", float64(r>>8)/255, float64(g>>8)/255, float64(b>>8)/255)
	}
	c := colour(0)
	if want := fill(uint32(c.R)<<8, uint32(c.G)<<8, uint32(c.B)<<8); !bytes.Contains(page, want) {
		t.Errorf("no fill of %s in %d bytes of the page", want, len(page))
	}
	r, g, blue, _ := translucent(c).RGBA()
	if dark := fill(r, g, blue); bytes.Contains(page, dark) {
		t.Errorf("a ribbon is filled with %s", dark)
	}
	if !bytes.Contains(whole, []byte("/ca 0.188")) {
		t.Error("no opacity of a ribbon")
	}
}

// TestPDFImages follows the matrices of a PDF up to an image, whose unit square it draws from below to above: it is upright.
func TestPDFImages(t *testing.T) {
	f, err := ImageBags("", "weight", 9, 6, []ImageBag{digitBag("", 2)})
	_, page := pdf(t, f, err)
	type matrix = [6]float64
	images := 0
	now, stack, operands := matrix{1, 0, 0, 1}, []matrix(nil), []float64(nil)
	for _, token := range strings.Fields(string(page)) {
		if v, err := strconv.ParseFloat(token, 64); err == nil {
			operands = append(operands, v)
			continue
		}
		switch token {
		case "q":
			stack = append(stack, now)
		case "Q":
			now, stack = stack[len(stack)-1], stack[:len(stack)-1]
		case "cm":
			m, n := operands[len(operands)-6:], now
			now = matrix{
				m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3], m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
				m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
			}
		case "Do":
			images++
			x, y := now[4], now[5]
			if now[0] <= 0 || now[3] <= 0 || now[1] != 0 || now[2] != 0 || x < 0 || y < 0 || x+now[0] > float64(f.width) || y+now[3] > float64(f.height) {
				t.Errorf("image %d is drawn by %v", images, now)
			}
		}
		operands = nil
	}
	if images != 2 {
		t.Errorf("%d images in the PDF, want 2", images)
	}
}
