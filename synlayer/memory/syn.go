package memory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// ErrZeroState says that order parameters are all 0, so that their norm, by which an update divides, is 0, too: the
// saddle point of the synergetic network (figure 1g of the paper). A bias of the order parameters leads away from it.
var ErrZeroState = errors.New("memory: the order parameters are 0, and an update divides by their norm; begin elsewhere, or add a bias to them")

// Syn is the step of the Syn layer on order parameters, the synergetic network's in reduced form:
//
//	forward:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f(ξ̃) = γ ξ̃³ + (1−γ) ξ̃     equations 9 and 10
//	inverse:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f⁻¹(ξ̃)                     equation 11
//
// Order parameters keep their signs and their zeros. Let the non-zero ones be N, and m of them share the largest
// magnitude. Then, for every γ in (0, 1] (appendix A of the paper):
//
//   - Forward steps lead ξ̃ to 1/√m at those m, and 0 elsewhere: to one-hot if there are no ties, which stay ties. The
//     ratio of another to the largest is multiplied in a step by a number below 1 that tends to (1−γ)/(γ/m+1−γ), which is
//     1−γ at m = 1 ([Syn.ForwardRate]): linear convergence; at γ = 1 it is raised to its third power instead.
//   - Inverse steps lead ξ̃ to 1/√N at the N, ties or not, and ξ' to f⁻¹(1/√N). The logarithm of a ratio is multiplied in a
//     step by a number below 1 that tends to [Syn.InverseRate]: linear convergence; at γ = 1 by exactly 1/3.
//   - A single order parameter is one-hot either way; none is [ErrZeroState].
type Syn struct {
	Gamma float64 // γ, in (0, 1]
}

// Forward returns the order parameters after a forward step.
func (s Syn) Forward(order []float64) ([]float64, error) {
	return s.step(order, func(x float64) float64 { return x * (s.Gamma*x*x + (1 - s.Gamma)) })
}

// Inverse returns the order parameters after an inverse step.
func (s Syn) Inverse(order []float64) ([]float64, error) {
	return s.step(order, s.inverse)
}

// inverse is the real root x of γx³ + (1−γ)x = y: with p = (1−γ)/γ and q = y/γ
//
//	x = 2 √(p/3) sinh(asinh(3q/2p · √(3/p))/3)
func (s Syn) inverse(y float64) float64 {
	p := (1 - s.Gamma) / s.Gamma
	switch {
	case p == 0:
		return math.Cbrt(y)
	case p > 1e100: // the cubic term is below rounding
		return y / (1 - s.Gamma)
	}
	return 2 * math.Sqrt(p/3) * math.Sinh(math.Asinh(1.5*y/(1-s.Gamma)*math.Sqrt(3/p))/3)
}

// ForwardRate returns the factor by which a step forward, near its limit of m equal order parameters, diminishes the
// ratios of the others to these:
//
//	f'(0)/(f(x)/x) = (1−γ)/(γ/m+1−γ),  x = 1/√m
//
// which is 1−γ near one-hot, at m = 1. It is 0 at γ = 1, where convergence is cubic.
func (s Syn) ForwardRate(m int) (float64, error) {
	if err := s.checkRate(m); err != nil {
		return 0, err
	}
	return (1 - s.Gamma) / (s.Gamma/float64(m) + (1 - s.Gamma)), nil
}

// InverseRate returns the factor by which an inverse step near equality diminishes the differences of n order
// parameters: with x = f⁻¹(1/√n)
//
//	κ = f(x)/(x f'(x)) = (γx² + 1−γ)/(3γx² + 1−γ)
//
// which is 1/3 at γ = 1 and tends to 1 as n grows for smaller γ. It is 0 at n = 1, where there is no difference.
func (s Syn) InverseRate(n int) (float64, error) {
	if err := s.checkRate(n); err != nil {
		return 0, err
	}
	if n == 1 {
		return 0, nil
	}
	x := s.inverse(1 / math.Sqrt(float64(n)))
	square := s.Gamma * x * x
	return (square + (1 - s.Gamma)) / (3*square + (1 - s.Gamma)), nil
}

func (s Syn) checkRate(n int) error {
	if n < 1 {
		return fmt.Errorf("memory: rate of %d equal order parameters; give at least 1", n)
	}
	return checkGamma(s.Gamma)
}

func (s Syn) step(order []float64, f func(float64) float64) ([]float64, error) {
	if err := checkGamma(s.Gamma); err != nil {
		return nil, err
	}
	unit, err := unitLength(order)
	if err != nil {
		return nil, err
	}
	for i, x := range unit {
		unit[i] = f(x)
	}
	return unit, nil
}

// unitLength returns order/‖order‖₂, also where squares overflow or underflow.
func unitLength(order []float64) ([]float64, error) {
	if err := checkVector("the vector of order parameters", order, len(order)); err != nil {
		return nil, err
	}
	unit := append([]float64{}, order...)
	largest := floats.Norm(unit, math.Inf(1))
	if largest == 0 {
		return nil, ErrZeroState
	}
	for i := range unit {
		unit[i] /= largest
	}
	norm := floats.Norm(unit, 2)
	for i := range unit {
		unit[i] /= norm
	}
	return unit, nil
}

func checkGamma(gamma float64) error {
	if !(gamma > 0 && gamma <= 1) {
		return fmt.Errorf("memory: gamma %v; give a number in (0, 1]", gamma)
	}
	return nil
}
