package judge

// Accuracy returns the share of bags on the right side of logit 0. A logit of exactly 0 counts as negative.
func Accuracy(labels []int, logits []float64) (float64, error) {
	negatives, positives, err := count(labels, logits)
	if err != nil {
		return 0, err
	}
	right := rightOf(labels, logits)
	return float64(right[0]+right[1]) / float64(negatives+positives), nil
}

// BalancedAccuracy returns the mean of the [Accuracy] on the negatives and on the positives. It is undefined without
// both classes: [ErrOneClass].
func BalancedAccuracy(labels []int, logits []float64) (float64, error) {
	negatives, positives, err := countBoth(labels, logits)
	if err != nil {
		return 0, err
	}
	right := rightOf(labels, logits)
	return (float64(right[0])/float64(negatives) + float64(right[1])/float64(positives)) / 2, nil
}

// rightOf counts the negatives and positives on the right side of logit 0.
func rightOf(labels []int, logits []float64) (right [2]int) {
	for i, y := range labels {
		if (logits[i] > 0) == (y == 1) {
			right[y]++
		}
	}
	return right
}
