// Package float16 reads numbers of 16 bits.
package float16

import "math"

// Float32 returns the number of 16 bits (IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction). It is exact.
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
