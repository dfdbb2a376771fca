package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// ErrTooFew is wrapped by the error returned if there are fewer than two values, so a spread is undefined.
var ErrTooFew = errors.New("fewer than two values")

// DeLong returns the [AUC] and its standard error by the method of DeLong, DeLong and Clarke-Pearson (Biometrics
// 1988):
//
//	se^2 = var(V10)/m + var(V01)/n
//
// Here V10 of each of the m positives is the share of negatives below it, V01 of each of the n negatives is the share
// of positives above it, with ties counted half, and var is the sample variance. They are computed from mid-ranks in
// O(N log N), as in Sun and Xu (IEEE Signal Processing Letters 2014). Each class needs two scores: [ErrTooFew].
func DeLong(labels []int, scores []float64) (auc, se float64, err error) {
	placements, err := placements(labels, scores)
	if err != nil {
		return 0, 0, err
	}
	auc, se = meanPlacement(labels, placements)
	return auc, se, nil
}

// DeLongDifference returns the difference between the AUCs of two methods on the same bags, a minus b, and its
// standard error by DeLong et al. The error is that of [DeLong], applied to the differences of the placements. Bags
// that are easy or hard for both methods therefore cancel. a and b have the scores of one or more training repeats,
// [repeats][bags]; placements are averaged over repeats.
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

// placements returns V10 for each positive and V01 for each negative.
func placements(labels []int, scores []float64) ([]float64, error) {
	negatives, positives, err := countBoth(labels, scores)
	if err != nil {
		return nil, err
	}
	if negatives < 2 || positives < 2 {
		return nil, fmt.Errorf("%w of a class: %d negative and %d positive", ErrTooFew, negatives, positives)
	}
	overall := Ranks(scores)
	placements := make([]float64, len(scores))
	for y, others := range []int{positives, negatives} {
		var at []int
		var class []float64
		for i, label := range labels {
			if label == y {
				at, class = append(at, i), append(class, scores[i])
			}
		}
		for k, within := range Ranks(class) {
			share := (overall[at[k]] - within) / float64(others) // scores of the other class below this one
			if y == 0 {
				share = 1 - share
			}
			placements[at[k]] = share
		}
	}
	return placements, nil
}

// meanPlacement returns the AUC from placements, or the difference from their differences, and its standard error.
func meanPlacement(labels []int, placements []float64) (mean, se float64) {
	var class [2][]float64
	for i, y := range labels {
		class[y] = append(class[y], placements[i])
	}
	_, negative := stat.MeanVariance(class[0], nil)
	mean, positive := stat.MeanVariance(class[1], nil)
	return mean, math.Sqrt(negative/float64(len(class[0])) + positive/float64(len(class[1])))
}
