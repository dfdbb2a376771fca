package stats

// AUC returns the area under the ROC curve. It uses the Mann-Whitney form with mid-ranks:
//
//	AUC = (R - m(m+1)/2) / (m n)
//
// Here R is the sum of the ranks of the m positives among all scores, and n is the number of negatives. Ties count
// half. Without both classes the AUC is undefined: [ErrOneClass].
func AUC(labels []int, scores []float64) (float64, error) {
	negatives, positives, err := countBoth(labels, scores)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, r := range Ranks(scores) {
		if labels[i] == 1 {
			sum += r
		}
	}
	m, n := float64(positives), float64(negatives)
	return (sum - m*(m+1)/2) / (m * n), nil
}
