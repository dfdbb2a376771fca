package stats

import (
	"fmt"
	"math"
	"slices"
)

// ThresholdAt returns the score threshold with the largest sensitivity among those with at least the wanted
// specificity, in (0,1]. A bag counts as positive if its score is above the threshold:
//
//	sensitivity = share of positives above it, specificity = share of negatives not above it
//
// The threshold is halfway between two different scores, so rounding the scores does not change the shares. If no
// score is larger, it is the largest score. Both shares are for the bags that chose the threshold. On new bags the
// specificity will differ, so measure its interval there. Without both classes it is undefined: [ErrOneClass].
func ThresholdAt(labels []int, scores []float64, wanted float64) (threshold, sensitivity, specificity float64, err error) {
	negatives, _, err := countBoth(labels, scores)
	if err != nil {
		return 0, 0, 0, err
	}
	if !(wanted > 0 && wanted <= 1) {
		return 0, 0, 0, fmt.Errorf("specificity %v; give one above 0, at most 1", wanted)
	}
	var below []float64 // scores of negatives
	for i, y := range labels {
		if y == 0 {
			below = append(below, scores[i])
		}
	}
	slices.Sort(below)
	// The smallest number of negatives not above the threshold. 0.9 of 10 must give 9, even if the product is
	// rounded.
	least := int(math.Ceil(wanted*float64(negatives) - 1e-9))
	threshold = below[max(least, 1)-1]
	next := math.Inf(1)
	for _, s := range scores {
		if s > threshold {
			next = min(next, s)
		}
	}
	if middle := threshold + (next-threshold)/2; middle > threshold && middle < next {
		threshold = middle
	}
	sensitivity, specificity, err = SensitivitySpecificity(labels, scores, threshold)
	return threshold, sensitivity, specificity, err
}

// SensitivitySpecificity returns the share of positives above a threshold and the share of negatives not above it. It
// is undefined without both classes: [ErrOneClass].
func SensitivitySpecificity(labels []int, scores []float64, threshold float64) (sensitivity, specificity float64, err error) {
	negatives, positives, err := countBoth(labels, scores)
	if err != nil {
		return 0, 0, err
	}
	if math.IsNaN(threshold) {
		return 0, 0, fmt.Errorf("threshold %v", threshold)
	}
	right := rightOf(labels, scores, threshold)
	return float64(right[1]) / float64(positives), float64(right[0]) / float64(negatives), nil
}
