package judge

import (
	"fmt"
	"slices"
)

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

// IntegratedBrierFollowUp returns [IntegratedBrier] with the [CensoringCurve] of the bags themselves, over those of the times that are before
// the last of the bags': so long a bag is known to live. It needs two such times, else [ErrTooFew].
func IntegratedBrierFollowUp(times []float64, events []bool, survival [][]float64, at []float64) (float64, error) {
	censoring, err := CensoringCurve(times, events)
	if err != nil {
		return 0, err
	}
	known, _ := slices.BinarySearch(at, slices.Max(times))
	rows := make([][]float64, len(survival))
	for i, row := range survival {
		if len(row) != len(at) {
			return 0, fmt.Errorf("bag %d has %d probabilities of survival for %d times", i, len(row), len(at))
		}
		rows[i] = row[:known]
	}
	return IntegratedBrier(censoring, times, events, rows, at[:known])
}
