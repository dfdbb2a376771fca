package stats

import (
	"fmt"
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
	if bins < 1 {
		return nil, fmt.Errorf("%d bins; one or more are needed", bins)
	}
	if err := checkProbabilities(labels, probabilities); err != nil {
		return nil, err
	}
	bound := func(k int) float64 { return float64(k) / float64(bins) }
	var cut []CalibrationBin
	at := -1
	for _, i := range ascending(probabilities) {
		p := probabilities[i]
		if k := sort.Search(bins-1, func(k int) bool { return p <= bound(k+1) }); k != at {
			at, cut = k, append(cut, CalibrationBin{Low: bound(k), High: bound(k + 1)})
		}
		bin := &cut[len(cut)-1]
		bin.N++
		bin.Probability += p
		bin.Positive += float64(labels[i])
	}
	for i := range cut {
		cut[i].Probability /= float64(cut[i].N)
		cut[i].Positive /= float64(cut[i].N)
	}
	return cut, nil
}
