package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrAllEqual says that a rank correlation is undefined because all values of one kind are equal.
var ErrAllEqual = errors.New("all values are equal")

// Kendall returns Kendall's τ-b of pairs, their rank correlation, from −1 to 1:
//
//	τ = (P − Q) / √((P + Q + X)(P + Q + Y))
//
// with P and Q the numbers of pairs of pairs in the same and in opposite order, X and Y those tied in y or in x alone. Where
// all x or all y are equal there is none: [ErrAllEqual].
//
// Source: M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).
func Kendall(x, y []float64) (float64, error) {
	if len(x) != len(y) {
		return 0, fmt.Errorf("%d and %d values make no pairs", len(x), len(y))
	}
	var order, inX, inY float64 // P − Q; pairs that are not tied in x, and in y
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			return 0, fmt.Errorf("pair %d holds NaN", i)
		}
		for j := range i {
			a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
			order += float64(a * b)
			inX += float64(a * a)
			inY += float64(b * b)
		}
	}
	if inX == 0 || inY == 0 {
		return 0, fmt.Errorf("%w: τ-b of %d pairs", ErrAllEqual, len(x))
	}
	return order / math.Sqrt(inX*inY), nil
}
