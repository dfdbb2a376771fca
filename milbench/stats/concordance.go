package stats

import "fmt"

// Concordance returns Harrell's C for risk scores. It is the share of comparable pairs of bags in which the bag with
// the earlier event has the larger risk; equal risks count half.
//
// A pair is comparable if it is known which event came first: the earlier time must be an event. If two bags have the
// same time, they are comparable if one had its event and the other was censored, because the censored one lived
// longer. Two events at the same time are not comparable. This matches concordance_index_censored of scikit-survival
// with tied_tol 0.
//
// C depends on the censoring; [CumulativeAUC] does not. Without a comparable pair C is undefined: [ErrNoEvents] if
// all bags are censored, otherwise [ErrNoPairs].
//
// Source: F. E. Harrell, K. L. Lee and D. B. Mark, "Multivariable prognostic models", Statistics in Medicine 15
// (1996).
func Concordance(times []float64, events []bool, risks []float64) (float64, error) {
	if err := checkRisks(times, events, risks); err != nil {
		return 0, err
	}
	if countEvents(events) == 0 {
		return 0, fmt.Errorf("%w: all %d bags are censored", ErrNoEvents, len(times))
	}
	right, pairs := 0.0, 0.0
	for i, event := range events {
		if !event {
			continue
		}
		for j, t := range times {
			if t < times[i] || t == times[i] && events[j] {
				continue
			}
			pairs++
			switch {
			case risks[j] < risks[i]:
				right++
			case risks[j] == risks[i]:
				right += 0.5
			}
		}
	}
	if pairs == 0 {
		return 0, fmt.Errorf("%w among %d bags", ErrNoPairs, len(times))
	}
	return right / pairs, nil
}

// countEvents returns the number of observed events.
func countEvents(events []bool) int {
	n := 0
	for _, event := range events {
		if event {
			n++
		}
	}
	return n
}
