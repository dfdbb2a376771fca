package judge

import (
	"fmt"
	"slices"
	"sort"
)

// CalibrationBin is a point of a reliability diagram: bags of about the same probability.
type CalibrationBin struct {
	Low         float64 `json:"low"` // bounds of the probabilities
	High        float64 `json:"high"`
	N           int     `json:"n"`           // bags, 1 or more
	Probability float64 `json:"probability"` // the mean of theirs
	Positive    float64 `json:"positive"`    // the share of them that are positive, which a calibrated model has equal to Probability
}

// EqualWidthBins cuts the probabilities (not logits) of being positive into bins of equal width, from 0 to 1; a
// probability on a bound is in the lower bin. Bins without a bag are left out. It is calibration_curve of scikit-learn
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

// EqualMassBins cuts the probabilities (not logits) of being positive at their quantiles, into bins of about as many
// bags each; equal probabilities stay together, so that there may be fewer bins. Low and High are the smallest and the
// largest of a bin. It is calibration_curve of scikit-learn with strategy "quantile".
func EqualMassBins(labels []int, probabilities []float64, bins int) ([]CalibrationBin, error) {
	if err := checkBins(labels, probabilities, bins); err != nil {
		return nil, err
	}
	sorted := slices.Sorted(slices.Values(probabilities))
	bins = min(bins, len(sorted)) // more have no other bounds
	return cutBins(labels, probabilities, bins, func(k int) float64 { return sorted[(k+1)*(len(sorted)-1)/bins] }), nil
}

// cutBins cuts valid probabilities: bin k is up to and with last(k). Low and High are those of the bags in it.
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

// checkBins reports what cannot be cut into bins.
func checkBins(labels []int, probabilities []float64, bins int) error {
	if bins < 1 {
		return fmt.Errorf("%d bins; one or more are needed", bins)
	}
	return checkProbabilities(labels, probabilities)
}
