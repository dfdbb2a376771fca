package stats

import (
	"fmt"
	"math"
	"slices"
)

// SurvivalCurve is a step function: the probability of no event by time t. It is 1 before Times[0], and Survival[i]
// from Times[i] until the next time.
type SurvivalCurve struct {
	Times    []float64 // increasing; the last is the longest follow-up
	Survival []float64 // from 1 to 0, never increasing
}

// KaplanMeier returns the product-limit estimate of the survival curve:
//
//	S(t) = product over times u ≤ t of 1 − d_u / n_u
//
// Here d_u is the number of events at time u, and n_u the number of bags at risk, with times of u or later. The curve
// has a step at every distinct time, of events and of censored bags. If all bags are censored, it stays 1.
//
// Source: E. L. Kaplan and P. Meier, "Nonparametric estimation from incomplete observations", Journal of the American
// Statistical Association 53 (1958).
func KaplanMeier(times []float64, events []bool) (SurvivalCurve, error) {
	if err := checkSurvival(times, events); err != nil {
		return SurvivalCurve{}, err
	}
	return productLimit(times, events, false), nil
}

// CensoringCurve returns the [KaplanMeier] estimate G of the probability of not being censored. [CumulativeAUC] and
// [IntegratedBrier] weigh bags by its inverse. For G, the censored bags are the events. At a time with both, the true
// events come first, so these bags are no longer at risk of being censored. Compute G from training bags.
func CensoringCurve(times []float64, events []bool) (SurvivalCurve, error) {
	if err := checkSurvival(times, events); err != nil {
		return SurvivalCurve{}, err
	}
	return productLimit(times, events, true), nil
}

// productLimit returns the curve for valid times and events, or the curve of the censoring.
func productLimit(times []float64, events []bool, censoring bool) SurvivalCurve {
	order := ascending(times)
	var curve SurvivalCurve
	survival := 1.0
	for i := 0; i < len(order); {
		t, j, seen := times[order[i]], i, 0
		for ; j < len(order) && times[order[j]] == t; j++ {
			if events[order[j]] {
				seen++
			}
		}
		gone, atRisk := seen, len(order)-i
		if censoring {
			gone, atRisk = j-i-seen, atRisk-seen
		}
		if gone > 0 {
			survival *= 1 - float64(gone)/float64(atRisk)
		}
		curve.Times, curve.Survival = append(curve.Times, t), append(curve.Survival, survival)
		i = j
	}
	return curve
}

// at returns the value of a valid curve at time t. After the last time it is 0 if the curve has reached 0; otherwise it
// is unknown: [ErrBeyondFollowUp].
func (c SurvivalCurve) at(t float64) (float64, error) {
	i, found := slices.BinarySearch(c.Times, t)
	if found {
		return c.Survival[i], nil
	}
	if i == 0 {
		return 1, nil
	}
	if last := len(c.Times) - 1; i > last && c.Survival[last] > 0 {
		return 0, fmt.Errorf("%w: %v is after %v", ErrBeyondFollowUp, t, c.Times[last])
	}
	return c.Survival[i-1], nil
}

// weight returns 1 / c(t), the weight for a bag whose event status at t is known.
func (c SurvivalCurve) weight(t float64) (float64, error) {
	g, err := c.at(t)
	if err == nil && g < 1e-100 { // keeps sums of weights from overflowing
		err = fmt.Errorf("%w: at %v all bags are censored", ErrBeyondFollowUp, t)
	}
	if err != nil {
		return 0, err
	}
	return 1 / g, nil
}

// validate returns an error if c is not a survival curve.
func (c SurvivalCurve) validate() error {
	if len(c.Times) == 0 || len(c.Times) != len(c.Survival) {
		return fmt.Errorf("a survival curve of %d times and %d values", len(c.Times), len(c.Survival))
	}
	before := 1.0
	for i, s := range c.Survival {
		if !(s >= 0 && s <= before) {
			return fmt.Errorf("value %d of a survival curve is %v, after %v; values fall from 1 to 0", i, s, before)
		}
		if t := c.Times[i]; math.IsNaN(t) || math.IsInf(t, 0) || i > 0 && t <= c.Times[i-1] {
			return fmt.Errorf("time %d of a survival curve is %v; times are finite and increase", i, t)
		}
		before = s
	}
	return nil
}
