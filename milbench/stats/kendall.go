package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// ErrRange is wrapped by the error returned if a figure is undefined because sums of squares overflow or vanish.
var ErrRange = errors.New("values are too large or too small; rescale them")

// ErrAllEqual is wrapped by the error returned if a figure is undefined because all values are equal.
var ErrAllEqual = errors.New("all values are equal")

// Kendall returns Kendall's rank correlation τ-b, from −1 to 1:
//
//	τ = (P − Q) / √((P + Q + X)(P + Q + Y))
//
// Here P and Q are the numbers of concordant and discordant pairs; X and Y count those tied only in y or only in x.
// If all x or all y are equal, it is undefined: [ErrAllEqual].
//
// Source: M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945).
func Kendall(x, y []float64) (float64, error) {
	if err := checkPairs(x, y); err != nil {
		return 0, err
	}
	var order, inX, inY float64 // P − Q; pairs not tied in x; pairs not tied in y
	for i := range x {
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
