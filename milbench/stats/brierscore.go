package stats

import "fmt"

// BrierScore returns the mean squared error of the predicted probabilities (not logits) of the positive class:
//
//	mean of (p_i − y_i)²
//
// It is from 0 to 1; smaller is better, and p = 1/2 everywhere gives 1/4. It measures calibration and ranking
// together.
//
// Source: G. W. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather Review 78
// (1950).
func BrierScore(labels []int, probabilities []float64) (float64, error) {
	if err := checkProbabilities(labels, probabilities); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, p := range probabilities {
		off := p - float64(labels[i])
		sum += off * off
	}
	return sum / float64(len(labels)), nil
}

// checkProbabilities returns an error for invalid labels or probabilities.
func checkProbabilities(labels []int, probabilities []float64) error {
	if _, _, err := count(labels, probabilities); err != nil {
		return err
	}
	for i, p := range probabilities {
		if p < 0 || p > 1 {
			return fmt.Errorf("probability at %d is %v; it must be 0 to 1, not a logit", i, p)
		}
	}
	return nil
}
