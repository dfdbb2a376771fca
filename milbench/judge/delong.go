package judge

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
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
	placements, err := placements(labels, scores)
	if err != nil {
		return 0, 0, err
	}
	auc, se = meanPlacement(labels, placements)
	return auc, se, nil
}

// DeLongDifference returns the difference between the AUCs of two methods on the same bags, a less b, and its standard error by
// DeLong et al.: that of [DeLong], taken of the differences of the placements, so that what both methods find hard or easy cancels.
// a and b have the scores of one repeat or more of training, [repeats][bags]; placements are averaged over repeats.
func DeLongDifference(labels []int, a, b [][]float64) (difference, se float64, err error) {
	if len(a) == 0 || len(b) == 0 {
		return 0, 0, fmt.Errorf("%w: no scores of one of two methods", ErrTooFew)
	}
	differences := make([]float64, len(labels))
	for sign, repeats := range map[float64][][]float64{1: a, -1: b} {
		for _, scores := range repeats {
			p, err := placements(labels, scores)
			if err != nil {
				return 0, 0, err
			}
			floats.AddScaled(differences, sign/float64(len(repeats)), p)
		}
	}
	difference, se = meanPlacement(labels, differences)
	return difference, se, nil
}

// placements returns V10 of each positive and V01 of each negative.
func placements(labels []int, scores []float64) ([]float64, error) {
	negatives, positives, err := countBoth(labels, scores)
	if err != nil {
		return nil, err
	}
	if negatives < 2 || positives < 2 {
		return nil, fmt.Errorf("%w of a class: %d negative and %d positive", ErrTooFew, negatives, positives)
	}
	overall := midRanks(scores)
	placements := make([]float64, len(scores))
	for y, others := range []int{positives, negatives} {
		var at []int
		var class []float64
		for i, label := range labels {
			if label == y {
				at, class = append(at, i), append(class, scores[i])
			}
		}
		for k, within := range midRanks(class) {
			share := (overall[at[k]] - within) / float64(others) // of the other class, below this score
			if y == 0 {
				share = 1 - share
			}
			placements[at[k]] = share
		}
	}
	return placements, nil
}

// meanPlacement returns the mean of placements, or of their differences, and its standard error.
func meanPlacement(labels []int, placements []float64) (mean, se float64) {
	var class [2][]float64
	for i, y := range labels {
		class[y] = append(class[y], placements[i])
	}
	_, negative := stat.MeanVariance(class[0], nil)
	mean, positive := stat.MeanVariance(class[1], nil)
	return mean, math.Sqrt(negative/float64(len(class[0])) + positive/float64(len(class[1])))
}
