package judge

import "fmt"

// Spearman returns Spearman's ρ of pairs, their rank correlation, from −1 to 1: [Pearson] of the ranks of x and those of
// y. Equal values share the mean of their ranks. Where all x or all y are equal there is none: [ErrAllEqual].
//
// Source: C. Spearman, "The proof and measurement of association between two things", American Journal of Psychology 15
// (1904).
func Spearman(x, y []float64) (float64, error) {
	if err := checkPairs(x, y); err != nil {
		return 0, err
	}
	if allEqual(x) || allEqual(y) {
		return 0, fmt.Errorf("%w: ρ of %d pairs", ErrAllEqual, len(x))
	}
	return Pearson(midRanks(x), midRanks(y))
}
