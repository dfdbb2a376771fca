package plotting

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

func TestReduced(t *testing.T) {
	f, err := Training("Musk 1", settings([]string{"softmax", "syn, I = 3", "mean"}, 10, 40))
	must(t, err)
	m := paint(f).(*image.RGBA)
	r := reduced(m)
	if r.Rect != m.Rect || len(r.Palette) > 256 {
		t.Fatalf("%v in %d colours of %v", r.Rect, len(r.Palette), m.Rect)
	}
	sum, worst := 0.0, 0.0
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			a, b := m.RGBAAt(x, y), r.At(x, y).(color.RGBA)
			for _, d := range [3]int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
				sum += float64(d * d)
				worst = max(worst, math.Abs(float64(d)))
			}
		}
	}
	// The eye tells about two of 255 levels apart; the most is at single pixels of edges.
	if rms := math.Sqrt(sum / float64(3*len(r.Pix))); rms > 1 || worst > 64 {
		t.Errorf("colours are off by %v on average and %v at most", rms, worst)
	}
	var whole, small bytes.Buffer
	must(t, png.Encode(&whole, m))
	must(t, png.Encode(&small, r))
	if small.Len()*2 > whole.Len() {
		t.Errorf("%d bytes of %d", small.Len(), whole.Len())
	}
}

// TestReducedKeepsColours: an image with few colours is unchanged.
func TestReducedKeepsColours(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 20, 10))
	for i := range 200 {
		m.SetRGBA(i%20, i/20, color.RGBA{R: uint8(i), G: uint8(255 - i), B: 7, A: 255})
	}
	r := reduced(m)
	for i := range 200 {
		if got, want := r.At(i%20, i/20), m.RGBAAt(i%20, i/20); got != want {
			t.Errorf("the pixel %d is %v, was %v", i, got, want)
		}
	}
}
