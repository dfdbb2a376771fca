package stats

import (
	"fmt"
	"slices"
)

// CumulativeAUC returns the cumulative/dynamic AUC of risk scores at several times, and its mean over them. At time t
// it is the probability that a bag with its event by then (a case) has a larger risk than a bag without (a control):
//
//	AUC(t) = sum_ij w_i [t_i ≤ t, event_i] [t_j > t] ([r_i > r_j] + [r_i = r_j] / 2) / (sum of w over cases × number of controls)
//
// The weights w_i = 1 / G(t_i) compensate for censored bags, where G is the [CensoringCurve] of the training bags.
// The mean weighs AUC(t_k) by the events since the previous time:
//
//	mean = sum_k AUC(t_k) (S(t_k-1) − S(t_k)) / (1 − S(t_last)), S(t_0) = 1
//
// Here S is the [KaplanMeier] curve of these bags. The times must increase. There must be a case at the first time
// ([ErrNoEvents]) and a control after the last ([ErrNoPairs]). If G is unknown or 0 at the time of a case, the error
// is [ErrBeyondFollowUp]; choose earlier times.
//
// Sources: H. Uno, T. Cai, L. Tian and L. J. Wei, "Evaluating prediction rules for t-year survivors with censored
// regression models", Journal of the American Statistical Association 102 (2007); for the mean, J. Lambert and S.
// Chevret, Statistical Methods in Medical Research 25 (2016). It equals cumulative_dynamic_auc of scikit-survival
// with tied_tol 0.
func CumulativeAUC(censoring SurvivalCurve, times []float64, events []bool, risks, at []float64) (aucs []float64, mean float64, err error) {
	if err := censoring.validate(); err != nil {
		return nil, 0, fmt.Errorf("censoring: %w", err)
	}
	if err := checkRisks(times, events, risks); err != nil {
		return nil, 0, err
	}
	if err := checkAt(at); err != nil {
		return nil, 0, err
	}
	weights := make([]float64, len(times))
	for i, t := range times {
		if events[i] && t <= at[len(at)-1] {
			if weights[i], err = censoring.weight(t); err != nil {
				return nil, 0, fmt.Errorf("weight of bag %d: %w", i, err)
			}
		}
	}
	order := ascending(risks)
	survival, before := productLimit(times, events, false), 1.0
	for _, t := range at {
		var right, cases, controls float64 // running counts, in the order of risk
		for i := 0; i < len(order); {
			var w, tied float64
			j := i
			for ; j < len(order) && risks[order[j]] == risks[order[i]]; j++ {
				switch bag := order[j]; {
				case times[bag] > t:
					tied++
				case events[bag]:
					w += weights[bag]
				}
			}
			right += w * (controls + tied/2)
			cases, controls = cases+w, controls+tied
			i = j
		}
		if cases == 0 {
			return nil, 0, fmt.Errorf("%w by time %v", ErrNoEvents, t)
		}
		if controls == 0 {
			return nil, 0, fmt.Errorf("%w at time %v: the last of the times is %v", ErrNoPairs, t, slices.Max(times))
		}
		aucs = append(aucs, right/(cases*controls))
		s, err := survival.at(t)
		if err != nil {
			return nil, 0, err
		}
		mean += aucs[len(aucs)-1] * (before - s)
		before = s
	}
	return aucs, mean / (1 - before), nil
}
