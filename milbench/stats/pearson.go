package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// Pearson returns the linear correlation, from −1 to 1:
//
//	r = sum_i (x_i − mean(x)) (y_i − mean(y)) / √(sum_i (x_i − mean(x))² sum_i (y_i − mean(y))²)
//
// If all x or all y are equal, it is undefined: [ErrAllEqual]. Infinite values are an error.
func Pearson(x, y []float64) (float64, error) {
	if err := checkPairs(x, y); err != nil {
		return 0, err
	}
	if allEqual(x) || allEqual(y) {
		return 0, fmt.Errorf("%w: correlation of %d pairs", ErrAllEqual, len(x))
	}
	r := stat.Correlation(x, y, nil)
	if math.IsNaN(r) || math.IsInf(r, 0) {
		return 0, fmt.Errorf("%w: sums of squares of %d pairs", ErrRange, len(x))
	}
	return max(-1, min(r, 1)), nil
}
