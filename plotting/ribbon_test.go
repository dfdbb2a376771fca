package plotting

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image/color"
	"io"
	"testing"
)

// TestRibbonsInPDF: a ribbon has its curve's colour and an opacity, as in the other formats.
func TestRibbonsInPDF(t *testing.T) {
	f, err := WinnerTransfers("", []TransferCurve{{"a", [][]float64{{0.1, 0.2}, {0.3, 0.4}}}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, PDF); err != nil {
		t.Fatal(err)
	}
	var page []byte
	for _, part := range bytes.SplitAfter(b.Bytes(), []byte("stream\n")) {
		if z, err := zlib.NewReader(bytes.NewReader(part)); err == nil {
			content, _ := io.ReadAll(z) // up to the end of the stream
			page = append(page, content...)
		}
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
	if !bytes.Contains(b.Bytes(), []byte("/ca 0.188")) {
		t.Error("no opacity of a ribbon")
	}
}

func TestStraight(t *testing.T) {
	for _, c := range []color.Color{color.NRGBA{R: 0x12, G: 0xff, B: 0x80, A: 0x30}, color.Gray{Y: 0x22}, color.White, color.NRGBA{}} {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		if r, g, b, a := straight(n).RGBA(); [4]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)} != [4]uint8{n.R, n.G, n.B, n.A} {
			t.Errorf("%v is %v %v %v %v", c, r, g, b, a)
		}
	}
}
