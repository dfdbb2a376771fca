package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat"
)

// Spearman returns Spearman's rank correlation ρ, from −1 to 1. It is the linear correlation of the ranks of x and y.
// Equal values share the mean of their ranks. If all x or all y are equal, it is undefined: [ErrAllEqual].
//
// Source: C. Spearman, "The proof and measurement of association between two things", American Journal of Psychology
// 15 (1904).
func Spearman(x, y []float64) (float64, error) {
	if err := checkPairs(x, y); err != nil {
		return 0, err
	}
	if allEqual(x) || allEqual(y) {
		return 0, fmt.Errorf("%w: ρ of %d pairs", ErrAllEqual, len(x))
	}
	return max(-1, min(stat.Correlation(Ranks(x), Ranks(y), nil), 1)), nil
}
