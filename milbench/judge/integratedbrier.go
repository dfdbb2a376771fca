package judge

import "fmt"

// IntegratedBrier returns the mean of [SurvivalBrier] over the time from the first to the last of some times, by the
// trapezoid rule:
//
//	IBS = 1 / (t_last − t_first) ∫ BS(t) dt
//
// survival has the probability that each bag lives after each of the times, [bags][times]; the times must increase.
// Smaller is better. It needs two times, else [ErrTooFew]; the other errors are those of SurvivalBrier.
//
// It is integrated_brier_score of scikit-survival.
func IntegratedBrier(censoring SurvivalCurve, times []float64, events []bool, survival [][]float64, at []float64) (float64, error) {
	if len(at) < 2 {
		return 0, fmt.Errorf("%w: an integral over %d time", ErrTooFew, len(at))
	}
	scores, err := survivalBriers(censoring, times, events, survival, at)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for k := 1; k < len(at); k++ {
		sum += (scores[k] + scores[k-1]) / 2 * ((at[k] - at[k-1]) / (at[len(at)-1] - at[0]))
	}
	return sum, nil
}
