package judge

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// ErrTooFew says that a spread is undefined because there are fewer than two values to take it over.
var ErrTooFew = errors.New("fewer than two values")

// DeLong returns the [AUC] and its standard error by DeLong, DeLong and Clarke-Pearson (Biometrics 1988):
//
//	se^2 = var(V10)/m + var(V01)/n
//
// where V10 of each of the m positives is the share of negatives below it, V01 of each of the n negatives the share of
// positives above it, ties counted half, and var is the sample variance. Computed from mid-ranks in O(N log N) as by
// Sun and Xu (IEEE Signal Processing Letters 2014). Each class needs two scores: [ErrTooFew].
func DeLong(labels []int, scores []float64) (auc, se float64, err error) {
	negatives, positives, err := countBoth(labels, scores)
	if err != nil {
		return 0, 0, err
	}
	if negatives < 2 || positives < 2 {
		return 0, 0, fmt.Errorf("%w of a class: %d negative and %d positive", ErrTooFew, negatives, positives)
	}
	var class, overall [2][]float64 // scores of each class and their ranks among all scores
	for i, r := range midRanks(scores) {
		y := labels[i]
		class[y] = append(class[y], scores[i])
		overall[y] = append(overall[y], r)
	}
	var variance [2]float64
	for y := range class {
		others := float64(len(class[1-y]))
		within := midRanks(class[y])
		below := make([]float64, len(within)) // the share of the other class below each score
		for i, r := range overall[y] {
			below[i] = (r - within[i]) / others
		}
		mean, v := stat.MeanVariance(below, nil)
		variance[y] = v / float64(len(below))
		if y == 1 {
			auc = mean
		}
	}
	return auc, math.Sqrt(variance[0] + variance[1]), nil
}
