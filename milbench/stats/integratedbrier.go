package stats

import (
	"fmt"
	"slices"
)

// IntegratedBrier returns [SurvivalBrier] averaged over the time from the first to the last of several times, by the
// trapezoid rule:
//
//	IBS = 1 / (t_last − t_first) ∫ BS(t) dt
//
// survival has the probability that each bag survives beyond each time, [bags][times]. The times must increase.
// Smaller is better. It needs two times ([ErrTooFew]); the other errors are those of SurvivalBrier.
//
// It equals integrated_brier_score of scikit-survival.
func IntegratedBrier(censoring SurvivalCurve, times []float64, events []bool, survival [][]float64, at []float64) (float64, error) {
	if len(at) < 2 {
		return 0, fmt.Errorf("%w: times of the integral: %d", ErrTooFew, len(at))
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

// IntegratedBrierFollowUp returns [IntegratedBrier] with the [CensoringCurve] of the bags themselves. It uses only
// the times before the last time of the bags, because follow-up ends there. It needs two such times ([ErrTooFew]).
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
