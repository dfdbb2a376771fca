package memory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// ErrZeroState says that all order parameters are 0, so an update would divide by their norm, which is 0: the saddle point
// of the synergetic network (figure 1g of the paper). A bias of the order parameters leads away from it.
var ErrZeroState = errors.New("memory: the order parameters are 0, and an update divides by their norm; begin elsewhere, or add a bias to them")

// Syn is the step of the Syn layer on order parameters, which is the step of the synergetic network in reduced form:
//
//	forward:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f(ξ̃) = γ ξ̃³ + (1−γ) ξ̃     equations 9 and 10
//	inverse:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f⁻¹(ξ̃)                     equation 11
//
// Order parameters keep their signs and their zeros. Let N of them be non-zero, and let m share the largest magnitude. Then,
// for every γ in (0, 1] (docs/syn.md has the proof, which the paper gives in its appendix A):
//
//   - Forward steps lead ξ̃ to 1/√m at those m, and 0 elsewhere: to one-hot if there is no tie. Ties stay ties. Each step
//     multiplies the ratio of another order parameter to the largest by a number below 1 that tends to (1−γ)/(γ/m+1−γ),
//     which is 1−γ at m = 1 ([Syn.ForwardRate]): linear convergence. At γ = 1 a step cubes the ratio instead.
//   - Inverse steps lead ξ̃ to 1/√N at the N non-zero ones, ties or not, and ξ' to f⁻¹(1/√N). Each step multiplies the
//     logarithm of a ratio by a number below 1 that tends to [Syn.InverseRate]: linear convergence. At γ = 1 the number is
//     exactly 1/3.
//   - A single non-zero order parameter becomes one-hot either way; if all are 0, the result is [ErrZeroState].
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

// ForwardRate returns the convergence rate of forward steps near their limit of m equal order parameters: the factor that a
// step multiplies the ratios of the others to these by,
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

// InverseRate returns the convergence rate of inverse steps near equality: the factor that a step multiplies the differences
// of n order parameters by. With x = f⁻¹(1/√n) it is
//
//	κ = f(x)/(x f'(x)) = (γx² + 1−γ)/(3γx² + 1−γ)
//
// It is 1/3 at γ = 1; for smaller γ it tends to 1 as n grows. It is 0 at n = 1, where there is no difference.
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

// unitLength returns order/‖order‖₂, even if squares overflow or underflow.
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
