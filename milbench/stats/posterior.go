package stats

import (
	"fmt"
	"math"
)

// Posterior is the result of a Bayesian test of two methods a and b. The three probabilities sum to 1.
type Posterior struct {
	Better float64 // probability that a is better than b by more than the rope
	Equal  float64 // probability that the difference is within the rope, so either method will do
	Worse  float64 // probability that b is better than a by more than the rope
}

// checkRope returns an error if rope is not a valid half-width of the region of practical equivalence.
func checkRope(rope float64) error {
	if !(rope >= 0) || math.IsInf(rope, 1) {
		return fmt.Errorf("region of practical equivalence %v; give a difference of at least 0, say 0.01", rope)
	}
	return nil
}
