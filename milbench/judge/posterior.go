package judge

import (
	"fmt"
	"math"
)

// Posterior is what a Bayesian test of two methods a and b believes. The three probabilities add up to 1.
type Posterior struct {
	Better float64 // that a is better than b by more than the rope
	Equal  float64 // that they differ by less, so that it does not matter which of them you take
	Worse  float64 // that b is better than a by more than the rope
}

// checkRope reports a half-width of the region of practical equivalence that is none.
func checkRope(rope float64) error {
	if !(rope >= 0) || math.IsInf(rope, 1) {
		return fmt.Errorf("region of practical equivalence %v; give a difference of at least 0, say 0.01", rope)
	}
	return nil
}
