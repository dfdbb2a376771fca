package memory

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Signs returns +1 for the components of x above threshold and −1 for the others: it makes a binary pattern from a greyscale
// image.
func Signs(x []float64, threshold float64) []float64 {
	signs := make([]float64, len(x))
	for i, v := range x {
		signs[i] = -1
		if v > threshold {
			signs[i] = 1
		}
	}
	return signs
}

// RandomSigns draws n patterns of d components, each +1 or −1 with equal probability. A larger n with the same random source
// starts with the same patterns. If n or d is below 1 there are none.
func RandomSigns(n, d int, random *rand.Rand) [][]float64 {
	if n < 1 || d < 1 {
		return nil
	}
	patterns := make([][]float64, n)
	for i := range patterns {
		patterns[i] = make([]float64, d)
		for l := range d {
			patterns[i][l] = float64(2*random.IntN(2) - 1)
		}
	}
	return patterns
}

// MaskHalf returns x with its second half set to value: the lower half of an image stored row by row.
func MaskHalf(x []float64, value float64) []float64 {
	cue := append([]float64{}, x...)
	for i := len(x) / 2; i < len(x); i++ {
		cue[i] = value
	}
	return cue
}

// Flip returns x with the signs of randomly chosen components reversed; share of them, rounded to a whole number.
func Flip(x []float64, share float64, random *rand.Rand) ([]float64, error) {
	if !(share >= 0 && share <= 1) {
		return nil, fmt.Errorf("memory: a share %v of components to flip; give a number in [0, 1]", share)
	}
	cue := append([]float64{}, x...)
	for _, i := range random.Perm(len(x))[:int(math.Round(share*float64(len(x))))] {
		cue[i] = -cue[i]
	}
	return cue, nil
}

// AddNoise returns x plus normal noise of the given standard deviation.
func AddNoise(x []float64, deviation float64, random *rand.Rand) ([]float64, error) {
	if !(deviation >= 0) || math.IsInf(deviation, 0) {
		return nil, fmt.Errorf("memory: standard deviation %v of noise; give a finite number of at least 0", deviation)
	}
	cue := append([]float64{}, x...)
	for i := range cue {
		cue[i] += deviation * random.NormFloat64()
	}
	return cue, checkFinite("a component with noise", cue...)
}
