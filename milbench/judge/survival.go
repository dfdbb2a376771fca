package judge

import (
	"errors"
	"fmt"
	"math"
)

var (
	// ErrNoEvents says that a figure is undefined because no event was seen.
	ErrNoEvents = errors.New("no event was seen")
	// ErrNoPairs says that a figure is undefined because it is not known of any two bags which has its event first.
	ErrNoPairs = errors.New("no comparable pairs")
	// ErrOneGroup says that there is nothing to compare because only one group is there.
	ErrOneGroup = errors.New("only one group is there")
	// ErrBeyondFollowUp says that a survival curve is not known at a time: nobody was followed up so long.
	ErrBeyondFollowUp = errors.New("time is beyond the follow-up")
)

// checkSurvival reports times that are no times, or not as many as events.
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

// checkAt reports times at which a figure cannot be taken: they must increase.
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

// checkRisks reports survival data without a risk for each bag.
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
