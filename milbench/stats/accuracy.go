package stats

import "fmt"

// Accuracy returns the share of bags on the right side of logit 0. A logit of exactly 0 counts as negative.
func Accuracy(labels []int, logits []float64) (float64, error) {
	negatives, positives, err := count(labels, logits)
	if err != nil {
		return 0, err
	}
	right := rightOf(labels, logits, 0)
	return float64(right[0]+right[1]) / float64(negatives+positives), nil
}

// BalancedAccuracy returns the mean of the [Accuracy] on the negatives and on the positives. It is undefined without
// both classes: [ErrOneClass].
func BalancedAccuracy(labels []int, logits []float64) (float64, error) {
	negatives, positives, err := countBoth(labels, logits)
	if err != nil {
		return 0, err
	}
	right := rightOf(labels, logits, 0)
	return (float64(right[0])/float64(negatives) + float64(right[1])/float64(positives)) / 2, nil
}

// Sensitivity returns the [Accuracy] on the positives. It is undefined without one: [ErrOneClass].
func Sensitivity(labels []int, logits []float64) (float64, error) {
	return recall(labels, logits, 1, "positive")
}

// Specificity returns the [Accuracy] on the negatives. It is undefined without one: [ErrOneClass].
func Specificity(labels []int, logits []float64) (float64, error) {
	return recall(labels, logits, 0, "negative")
}

func recall(labels []int, logits []float64, class int, name string) (float64, error) {
	negatives, positives, err := count(labels, logits)
	if err != nil {
		return 0, err
	}
	of := [2]int{negatives, positives}[class]
	if of == 0 {
		return 0, fmt.Errorf("%w: no %s among %d", ErrOneClass, name, len(labels))
	}
	return float64(rightOf(labels, logits, 0)[class]) / float64(of), nil
}

// rightOf counts the negatives not above a threshold and the positives above it.
func rightOf(labels []int, scores []float64, threshold float64) (right [2]int) {
	for i, y := range labels {
		if (scores[i] > threshold) == (y == 1) {
			right[y]++
		}
	}
	return right
}
