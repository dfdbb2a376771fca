package stats

import "fmt"

// SurvivalBrier returns the Brier score of predicted survival probabilities at time t. It is the mean squared error
// with inverse probability of censoring weights:
//
//	BS(t) = mean of s_i² / G(t_i) for an event by t, (1 − s_i)² / G(t) for a bag that lives after t, 0 for one censored by t
//
// Here s_i is the probability that bag i survives beyond t, and G is the [CensoringCurve] of the training bags.
// Smaller is better; s = 1/2 everywhere gives about 1/4. If G is unknown or 0 at a time that is needed, the error is
// [ErrBeyondFollowUp]; choose an earlier t.
//
// Source: E. Graf, C. Schmoor, W. Sauerbrei and M. Schumacher, "Assessment and comparison of prognostic
// classification schemes for survival data", Statistics in Medicine 18 (1999).
func SurvivalBrier(censoring SurvivalCurve, times []float64, events []bool, survival []float64, t float64) (float64, error) {
	rows := make([][]float64, len(survival))
	for i := range rows {
		rows[i] = survival[i : i+1]
	}
	scores, err := survivalBriers(censoring, times, events, rows, []float64{t})
	if err != nil {
		return 0, err
	}
	return scores[0], nil
}

// survivalBriers returns [SurvivalBrier] at several times.
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
