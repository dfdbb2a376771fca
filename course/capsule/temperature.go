package capsule

import "math"

// InverseTemperature is a schedule of the inverse temperature λ over the iterations t = 0, 1, ... of a routing:
//
//	λ = Final (1 − Decay^(t+1))
//
// It rises to Final; with Decay 0 it is Final from the start.
type InverseTemperature struct {
	Final float64 // must be finite and 0 or more
	Decay float64 // in [0, 1)
}

// DefaultInverseTemperature returns Final 0.01 and Decay 0.95, which the authors gave in the discussion of the paper and use
// in their program (google-research, capsule_em); the paper itself gives no values. They suit layers of 32 types: costs grow
// with the sum assigned to a parent, so a parent with fewer children may need a larger Final.
func DefaultInverseTemperature() InverseTemperature {
	return InverseTemperature{Final: 0.01, Decay: 0.95}
}

// At returns the inverse temperature at an iteration; iterations count from 0.
func (s InverseTemperature) At(iteration int) float64 {
	return s.Final * (1 - math.Pow(s.Decay, float64(iteration+1)))
}
