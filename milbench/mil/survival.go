package mil

import (
	"errors"
	"fmt"
)

// Survival is a predicted survival curve: the probability that a bag survives beyond each of some times. The curve
// says nothing about the times in between.
type Survival struct {
	Times []float64 `json:"times"` // increasing
	Alive []float64 `json:"alive"` // from 1 to 0, never increasing
}

// Median returns the first time at which the survival probability is at most 1/2. If there is none, known is false.
func (s Survival) Median() (t float64, known bool) {
	for k, alive := range s.Alive {
		if alive <= 0.5 {
			return s.Times[k], true
		}
	}
	return 0, false
}

// Validate returns an error if s is not a survival curve.
func (s Survival) Validate() error {
	if len(s.Times) != len(s.Alive) || len(s.Times) == 0 {
		return fmt.Errorf("a survival curve with %d times and %d probabilities; give as many of both, at least one", len(s.Times), len(s.Alive))
	}
	for k, t := range s.Times {
		switch p := s.Alive[k]; {
		case t-t != 0 || k > 0 && t <= s.Times[k-1]:
			return errors.New("the times of a survival curve must be finite and increase")
		case !(p >= 0 && p <= 1) || k > 0 && p > s.Alive[k-1]:
			return errors.New("the probabilities of a survival curve must be from 1 to 0 and never increase")
		}
	}
	return nil
}
