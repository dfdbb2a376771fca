package stats

import (
	"fmt"
	"slices"
)

// IntegratedBrier returns the Brier score of predicted survival probabilities, averaged over the time from the first to
// the last of several times by the trapezoid rule:
//
//	IBS = 1 / (t_last − t_first) ∫ BS(t) dt
//
// At time t the Brier score is the mean squared error with inverse probability of censoring weights:
//
//	BS(t) = mean of s_i² / G(t_i) for an event by t, (1 − s_i)² / G(t) for a bag that lives after t, 0 for one censored by t
//
// Here s_i is the probability that bag i survives beyond t, and G is the [CensoringCurve] of the training bags. survival
// has these probabilities, [bags][times]. The times must increase. Smaller is better; s = 1/2 everywhere gives about
// 1/4. It needs two times ([ErrTooFew]). If G is unknown or 0 at a time that is needed, the error is
// [ErrBeyondFollowUp]; choose earlier times.
//
// Source: E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher, "Assessment and comparison of prognostic
// classification schemes for survival data", Statistics in Medicine 18 (1999). It equals integrated_brier_score of
// scikit-survival.
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

// survivalBriers returns the Brier score at each time.
func survivalBriers(censoring SurvivalCurve, times []float64, events []bool, survival [][]float64, at []float64) ([]float64, error) {
	if err := censoring.validate(); err != nil {
		return nil, fmt.Errorf("censoring: %w", err)
	}
	if err := checkSurvival(times, events); err != nil {
		return nil, err
	}
	if err := checkAt(at); err != nil {
		return nil, err
	}
	if len(survival) != len(times) {
		return nil, fmt.Errorf("%d times but %d rows of probabilities of survival", len(times), len(survival))
	}
	for i, row := range survival {
		if len(row) != len(at) {
			return nil, fmt.Errorf("bag %d has %d probabilities of survival for %d times", i, len(row), len(at))
		}
		for k, s := range row {
			if !(s >= 0 && s <= 1) {
				return nil, fmt.Errorf("bag %d lives after %v with probability %v; it must be 0 to 1", i, at[k], s)
			}
		}
	}
	scores := make([]float64, len(at))
	for k, t := range at {
		for i, s := range survival {
			off, from := s[k], times[i]
			switch {
			case times[i] > t:
				off, from = 1-s[k], t
			case !events[i]:
				continue
			}
			weight, err := censoring.weight(from)
			if err != nil {
				return nil, fmt.Errorf("weight of bag %d: %w", i, err)
			}
			scores[k] += weight * off * off / float64(len(times))
		}
	}
	return scores, nil
}
