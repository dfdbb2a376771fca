package stats

import "fmt"

// Kappa returns Cohen's kappa with quadratic weights, for ordered classes 0 to classes-1, such as grades:
//
//	κ = 1 − (sum_i (y_i − p_i)² / n) / (sum_ij (y_i − p_j)² / n²)
//
// Here y are the labels and p the predicted classes of n bags. The denominator is the disagreement expected by
// chance, if labels and predictions with these frequencies were independent. κ is 1 if all bags are right, 0 for
// chance agreement, and −1 at worst. If all labels and all predictions are one class, it is undefined: [ErrOneClass].
//
// Source: J. Cohen, "Weighted kappa", Psychological Bulletin 70 (1968). It equals cohen_kappa_score of scikit-learn
// with weights "quadratic".
func Kappa(labels, predicted []int, classes int) (float64, error) {
	if err := checkPredicted(labels, predicted, classes); err != nil {
		return 0, err
	}
	// Sums of y, p, both squares and (y − p)². The double sum of (y_i − p_j)² is n times the sum of squares minus
	// twice y times p.
	var y, p, squares, apart float64
	for i := range labels {
		a, b := float64(labels[i]), float64(predicted[i])
		y, p = y+a, p+b
		squares += a*a + b*b
		apart += (a - b) * (a - b)
	}
	n := float64(len(labels))
	chance := n*squares - 2*y*p
	if chance <= 0 {
		return 0, fmt.Errorf("%w: all %d labels and predictions are %d", ErrOneClass, len(labels), labels[0])
	}
	return 1 - n*apart/chance, nil
}
