package mil

import (
	"math"
	"slices"
)

// Robust returns the median of values and 1.4826 times the median distance from it, which is the standard deviation for a normal
// distribution. If most values are equal, it is the median distance of the others; without any it is 0. Robust sorts values.
func Robust(values []float64) (middle, spread float64) {
	middle = median(values)
	var off []float64
	for _, v := range values {
		off = append(off, math.Abs(v-middle))
	}
	if spread = median(off); spread == 0 {
		spread = median(slices.DeleteFunc(off, func(d float64) bool { return d == 0 }))
	}
	return middle, 1.482602218505602 * spread // 1/Φ⁻¹(3/4)
}

// median sorts values and returns their median, or 0 if there are none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	return values[(n-1)/2]/2 + values[n/2]/2
}
