package stats

import (
	"errors"
	"fmt"
	"math"
)

var (
	// ErrNoEvents is wrapped by the error returned if a figure is undefined because no event was seen.
	ErrNoEvents = errors.New("no event was seen")
	// ErrNoPairs is wrapped by the error returned if a figure is undefined because for no two bags is it known which event came first.
	ErrNoPairs = errors.New("no comparable pairs")
	// ErrOneGroup is wrapped by the error returned if there is only one group, so nothing to compare.
	ErrOneGroup = errors.New("only one group is there")
	// ErrBeyondFollowUp is wrapped by the error returned if a survival curve is unknown at a time because no follow-up lasted that long.
	ErrBeyondFollowUp = errors.New("time is beyond the follow-up")
)

// checkSurvival returns an error for invalid times, or unequal numbers of times and events.
func checkSurvival(times []float64, events []bool) error {
	if len(times) != len(events) {
		return fmt.Errorf("%d times but %d events", len(times), len(events))
	}
	if len(times) == 0 {
		return errors.New("no times and no events")
	}
	for i, t := range times {
		if math.IsNaN(t) || math.IsInf(t, 0) || t < 0 {
			return fmt.Errorf("time at %d is %v; times are finite and 0 or more", i, t)
		}
	}
	return nil
}

// checkAt returns an error unless the evaluation times increase.
func checkAt(at []float64) error {
	if len(at) == 0 {
		return errors.New("no times to take the figure at")
	}
	for i, t := range at {
		if math.IsNaN(t) || math.IsInf(t, 0) || i > 0 && t <= at[i-1] {
			return fmt.Errorf("times to take the figure at are %v; they must be finite and increase", at)
		}
	}
	return nil
}

// checkRisks returns an error for invalid survival data, or unless each bag has a risk.
func checkRisks(times []float64, events []bool, risks []float64) error {
	if err := checkSurvival(times, events); err != nil {
		return err
	}
	if len(risks) != len(times) {
		return fmt.Errorf("%d times but %d risks", len(times), len(risks))
	}
	for i, r := range risks {
		if math.IsNaN(r) {
			return fmt.Errorf("risk at %d is NaN", i)
		}
	}
	return nil
}
