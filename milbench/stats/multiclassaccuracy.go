package stats

import "gonum.org/v1/gonum/floats"

// MulticlassAccuracy returns the share of bags whose largest logit, [bags][classes], is that of their label. With
// equal logits the first class counts, see [PredictedClasses].
func MulticlassAccuracy(labels []int, logits [][]float64) (float64, error) {
	if _, err := countClasses(labels, logits); err != nil {
		return 0, err
	}
	right := 0
	for i, row := range logits {
		if floats.MaxIdx(row) == labels[i] {
			right++
		}
	}
	return float64(right) / float64(len(labels)), nil
}

// MulticlassBalancedAccuracy returns the mean recall: the [MulticlassAccuracy] on the bags of one class, averaged
// over the classes that have bags. With fewer than two classes among the labels it is undefined: [ErrOneClass].
func MulticlassBalancedAccuracy(labels []int, logits [][]float64) (float64, error) {
	counts, err := countTwoClasses(labels, logits)
	if err != nil {
		return 0, err
	}
	right := make([]int, len(counts))
	for i, row := range logits {
		if floats.MaxIdx(row) == labels[i] {
			right[labels[i]]++
		}
	}
	sum, there := 0.0, 0
	for c, n := range counts {
		if n > 0 {
			sum += float64(right[c]) / float64(n)
			there++
		}
	}
	return sum / float64(there), nil
}
