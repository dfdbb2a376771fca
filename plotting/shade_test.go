package plotting

import (
	"image/color"
	"math"
	"testing"
)

// lightness is L* of CIELAB under D65, from its definition.
func lightness(c color.Color) float64 {
	y := luminance(c)
	if y <= 216.0/24389 {
		return y * 24389 / 27
	}
	return 116*math.Cbrt(y) - 16
}

// hue is that of Oklab in degrees, from its definition by Ottosson (2020), and chroma its distance from grey.
func hue(c color.NRGBA) (hue, chroma float64) {
	linear := func(v uint8) float64 { return luminance(color.Gray{Y: v}) }
	r, g, b := linear(c.R), linear(c.G), linear(c.B)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	x, y := 1.9779984951*l-2.4285922050*m+0.4505937099*s, 0.0259040371*l+0.7827717662*m-0.8086757660*s
	return math.Mod(math.Atan2(y, x)*180/math.Pi+360, 360), math.Hypot(x, y)
}

// TestShadesAreEven: lightness falls evenly from a shade near paper to a dark one, at one hue; a step of 8 bits a channel
// is 0.4 of lightness, and where there is little chroma, degrees of hue.
func TestShadesAreEven(t *testing.T) {
	s := unit
	pale, dark := lightness(s.at(0)), lightness(s.at(1))
	if pale < 95 || dark > 20 {
		t.Errorf("lightness from %v to %v", pale, dark)
	}
	for i := range 101 {
		v := float64(i) / 100
		c := s.at(v)
		if got, want := lightness(c), pale+v*(dark-pale); math.Abs(got-want) > 0.6 {
			t.Errorf("at %v: lightness %v, want %v", v, got, want)
		}
		if h, chroma := hue(c); chroma > 0.03 && math.Abs(h-247) > 3 {
			t.Errorf("at %v: hue %v, want 247", v, h)
		}
	}
}

// TestInkOn: text reads on every shade, with at least the contrast of 4.5 that WCAG 2.1 asks for.
func TestInkOn(t *testing.T) {
	s := unit
	for i := range 1001 {
		back := s.at(float64(i) / 1000)
		if got := contrast(inkOn(back), back); got < 4.5 {
			t.Errorf("shade %d of 1000: contrast %.2f", i, got)
		}
	}
	if got := contrast(color.Black, color.White); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white has the contrast %v", got)
	}
	// #767676 on white is the usual example of 4.54.
	if got := contrast(color.Gray{Y: 0x76}, color.White); math.Abs(got-4.54) > 0.005 {
		t.Errorf("grey 76 on white has the contrast %v", got)
	}
	if inkOn(s.at(0)) != color.Black || inkOn(s.at(1)) != color.White {
		t.Error("text is not dark on pale and white on dark")
	}
}

func TestShadingOf(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   shading
	}{
		{[]float64{0.2, 0.5, 0.1}, shading{0, 0.5}},
		{[]float64{0, 0}, shading{0, 1}},
		{[]float64{-2, 1}, shading{-2, 1}},
		{[]float64{-2, -1}, shading{-2, 0}},
		{[]float64{1e-300}, shading{0, 1}},
		{nil, shading{0, 1}},
	} {
		if got := shadingOf(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
	s := shading{0, 2}
	if s.at(-1) != s.at(0) || s.at(3) != s.at(2) {
		t.Error("values beyond the ends do not have the shade of the end")
	}
}

func TestShadingWrites(t *testing.T) {
	for _, c := range []struct {
		high, v float64
		want    string
	}{
		{1, 0.434, "0.43"}, {0.1, 0.004, "0.00"}, {12, -3.456, "−3.46"}, {0.01, 0.0042, "0.0042"}, {1e-6, 4.2e-7, "4.2e−07"}, {5000, 4321, "4321"},
	} {
		if got := (shading{0, c.high}).shortly(c.v); got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.v, c.high, got, c.want)
		}
	}
	var got []float64
	for _, tick := range (shading{0, 0.47}).ticks() {
		got = append(got, tick.Value)
	}
	if len(got) < 2 || len(got) > 5 || got[0] != 0 {
		t.Errorf("ticks %v", got)
	}
}
