// Package float16 converts 16-bit floating-point numbers.
package float16

import "math"

// Float32 converts a 16-bit float (IEEE 754 binary16: sign, 5 exponent bits, 10 fraction bits) to float32. The result is
// exact.
func Float32(bits uint16) float32 {
	size := math.Float32frombits(uint32(bits&0x7fff)<<13) * 0x1p112 // another bias of the exponent; subnormal ones, too
	if bits&0x7c00 == 0x7c00 {
		size = float32(math.Inf(1))
		if bits&1023 != 0 {
			size = float32(math.NaN())
		}
	}
	return math.Float32frombits(math.Float32bits(size) | uint32(bits&0x8000)<<16)
}
