package judge

import "fmt"

// Concordance returns Harrell's C of risks, the larger the earlier: the share of comparable pairs of bags in which the
// bag with the earlier event has the larger risk, equal risks counted half.
//
// A pair is comparable if it is known which event came first: the earlier time is that of an event. Two bags of the same
// time are comparable if one had its event and the other was censored then, because the censored one lived longer; two
// events at the same time are not. This is what concordance_index_censored of scikit-survival does with tied_tol 0.
// C depends on the censoring; see [CumulativeAUC] for a figure that does not. Without a comparable pair it is undefined:
// [ErrNoEvents] where all bags are censored, else [ErrNoPairs].
//
// Source: F. E. Harrell, K. L. Lee and D. B. Mark, "Multivariable prognostic models", Statistics in Medicine 15 (1996).
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

// countEvents returns the number of events that were seen.
func countEvents(events []bool) int {
	n := 0
	for _, event := range events {
		if event {
			n++
		}
	}
	return n
}
