package stats

import (
	"fmt"
	"slices"
	"sort"
)

// CalibrationBin is one point of a reliability diagram: the bags with similar predicted probabilities.
type CalibrationBin struct {
	Low         float64 `json:"low"` // bounds of the probabilities
	High        float64 `json:"high"`
	N           int     `json:"n"`           // number of bags, at least 1
	Probability float64 `json:"probability"` // mean predicted probability
	Positive    float64 `json:"positive"`    // share of positive bags; for a calibrated model it equals Probability
}

// EqualWidthBins divides the probabilities (not logits) of the positive class into bins of equal width from 0 to 1. A
// probability on a bound goes to the lower bin. Empty bins are left out. It equals calibration_curve of scikit-learn
// with strategy "uniform".
func EqualWidthBins(labels []int, probabilities []float64, bins int) ([]CalibrationBin, error) {
	if err := checkBins(labels, probabilities, bins); err != nil {
		return nil, err
	}
	bound := func(k int) float64 { return float64(k) / float64(bins) }
	cut := cutBins(labels, probabilities, bins, func(k int) float64 { return bound(k + 1) })
	for i := range cut {
		k := sort.Search(bins-1, func(k int) bool { return cut[i].High <= bound(k+1) })
		cut[i].Low, cut[i].High = bound(k), bound(k+1)
	}
	return cut, nil
}

// EqualMassBins divides the probabilities (not logits) of the positive class at their quantiles, into bins with about
// the same number of bags. Equal probabilities stay together, so there may be fewer bins. Low and High are the
// smallest and largest probability in a bin. It equals calibration_curve of scikit-learn with strategy "quantile".
func EqualMassBins(labels []int, probabilities []float64, bins int) ([]CalibrationBin, error) {
	if err := checkBins(labels, probabilities, bins); err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(probabilities))
	bins = min(bins, len(sorted)) // more bins would have the same bounds
	return cutBins(labels, probabilities, bins, func(k int) float64 { return sorted[(k+1)*(len(sorted)-1)/bins] }), nil
}

// cutBins divides valid probabilities into bins; bin k includes its upper bound last(k). Low and High are the
// extremes of its bags.
func cutBins(labels []int, probabilities []float64, bins int, last func(k int) float64) []CalibrationBin {
	var cut []CalibrationBin
	at := -1
	for _, i := range ascending(probabilities) {
		p := probabilities[i]
		if k := sort.Search(bins-1, func(k int) bool { return p <= last(k) }); k != at {
			at, cut = k, append(cut, CalibrationBin{Low: p})
		}
		bin := &cut[len(cut)-1]
		bin.High = p
		bin.N++
		bin.Probability += p
		bin.Positive += float64(labels[i])
	}
	for i := range cut {
		cut[i].Probability /= float64(cut[i].N)
		cut[i].Positive /= float64(cut[i].N)
	}
	return cut
}

// checkBins returns an error if there is nothing to divide or no bin.
func checkBins(labels []int, probabilities []float64, bins int) error {
	if bins < 1 {
		return fmt.Errorf("%d bins; one or more are needed", bins)
	}
	return checkProbabilities(labels, probabilities)
}
