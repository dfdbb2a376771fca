package float16

import (
	"math"
	"testing"
)

// TestFloat32 compares every number of 16 bits with its definition.
func TestFloat32(t *testing.T) {
	for bits := range 1 << 16 {
		sign, exponent, fraction := 1-2*float64(bits>>15), bits>>10&31, float64(bits&1023)
		want := sign * math.Ldexp(1024+fraction, exponent-25)
		switch {
		case exponent == 0: // subnormal, or 0
			want = sign * math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		got := float64(Float32(uint16(bits)))
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Fatalf("bits %04x: %v, want %v", bits, got, want)
		}
	}
}
