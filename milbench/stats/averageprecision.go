package stats

import (
	"fmt"
	"slices"
)

// AveragePrecision returns the area under the step-wise precision-recall curve:
//
//	AP = sum over thresholds k of (R_k - R_(k-1)) P_k
//
// Here R_k and P_k are recall and precision if every score from the k-th largest distinct score up counts as
// positive. This is scikit-learn's definition: no interpolation, and equal scores are one threshold. Without a
// positive it is undefined: [ErrOneClass].
func AveragePrecision(labels []int, scores []float64) (float64, error) {
	_, positives, err := count(labels, scores)
	if err != nil {
		return 0, err
	}
	if positives == 0 {
		return 0, fmt.Errorf("%w: no positive among %d", ErrOneClass, len(labels))
	}
	order := ascending(scores)
	slices.Reverse(order)
	var ap float64
	found := 0
	for i := 0; i < len(order); {
		j, hits := i, 0
		for ; j < len(order) && scores[order[j]] == scores[order[i]]; j++ {
			hits += labels[order[j]]
		}
		found += hits
		ap += float64(hits) / float64(positives) * float64(found) / float64(j)
		i = j
	}
	return ap, nil
}
