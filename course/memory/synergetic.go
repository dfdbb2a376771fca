package memory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Synergetic is Haken's synergetic neural network in the form of equations 6 to 8 of the paper.
//
//	ξ  = V⁺x                                             order parameters
//	ξ' = f(ξ) = γ((ξ³+ξ)/(2‖ξ‖²) + (1/γ−1) ξ)            reduced form: [Syn]
//	x' = Vξ'
//
// The N patterns are the columns of V; its Moore-Penrose inverse V⁺ is computed from singular values. V⁺V is the identity
// only for linearly independent patterns, so the network stores at most d patterns of d components.
//
// The energy is Haken's potential with unit coefficients; f is a gradient descent step on it of size γ/(2‖ξ‖²):
//
//	E = −½ ‖ξ‖² + ½ ‖ξ‖⁴ − ¼ Σ ξ⁴
//
// Updates do not raise it where ‖ξ‖² ≥ ½, as at all fixed points; below that the step is so long that they may.
//
// Retrieval ends in one-hot order parameters at the largest magnitude |ξ_i|, with the sign of ξ_i: in v_i or in −v_i. If the
// m largest magnitudes are equal it ends in the metastable state ±1/√(2m−1) at these, unless rounding makes them differ.
// Each update multiplies the ratios of the others to the largest by a factor that tends to 1−γ/2m. One-hot is the limit;
// float64 reaches it by underflow. If all order parameters of a state are 0 up to rounding, the result is [ErrZeroState].
type Synergetic struct {
	Gamma float64 // the learning rate γ, in (0, 1]

	patterns *mat.Dense // V, [component, pattern]
	inverse  *mat.Dense // V⁺, [pattern, component]
	rounding float64    // rounding error of an order parameter, relative to the norm of the state
}

// Store implements [Memory]. Patterns must be linearly independent.
func (s *Synergetic) Store(patterns [][]float64) error {
	d, err := checkPatterns(patterns)
	if err != nil {
		return err
	}
	if err := checkGamma(s.Gamma); err != nil {
		return err
	}
	n := len(patterns)
	if n > d {
		return fmt.Errorf("memory: %d patterns of %d components; a synergetic network stores at most as many patterns as components", n, d)
	}
	v := mat.DenseCopyOf(dense(patterns).T())
	if err := checkFinite("the square of a pattern", math.Pow(mat.Norm(v, 2), 2)); err != nil {
		return err
	}
	var svd mat.SVD
	if !svd.Factorize(v, mat.SVDThin) {
		return errors.New("memory: no singular values of the patterns; scale them")
	}
	values := svd.Values(nil)
	epsilon := float64(d) * 0x1p-52
	if rank := svd.Rank(epsilon); rank < n {
		return fmt.Errorf("memory: %d patterns of rank %d; a synergetic network stores linearly independent patterns, drop those that others make up", n, rank)
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	for j, value := range values {
		for i := range n {
			right.Set(i, j, right.At(i, j)/value)
		}
	}
	inverse := new(mat.Dense)
	inverse.Mul(&right, left.T())
	s.patterns, s.inverse, s.rounding = v, inverse, epsilon/values[n-1]
	return nil
}

// OrderParameters returns V⁺x of a state x: equation 6.
func (s *Synergetic) OrderParameters(state []float64) ([]float64, error) {
	if s.patterns == nil {
		return nil, errNothingStored
	}
	d, n := s.patterns.Dims()
	if err := checkVector("the state", state, d); err != nil {
		return nil, err
	}
	order := make([]float64, n)
	mat.NewVecDense(n, order).MulVec(s.inverse, mat.NewVecDense(d, state))
	return order, checkFinite("an order parameter", order...)
}

// State returns Vξ, the state of the given order parameters: equation 8.
func (s *Synergetic) State(order []float64) ([]float64, error) {
	if s.patterns == nil {
		return nil, errNothingStored
	}
	d, n := s.patterns.Dims()
	if err := checkVector("the vector of order parameters", order, n); err != nil {
		return nil, err
	}
	state := make([]float64, d)
	mat.NewVecDense(d, state).MulVec(s.patterns, mat.NewVecDense(n, order))
	return state, checkFinite("a component of the state", state...)
}

// Activate returns f of order parameters: equation 7. It does not depend on the patterns. Iterating it alone
// avoids rounding through the patterns, so the losing order parameters do reach their limit 0, by underflow.
func (s *Synergetic) Activate(order []float64) ([]float64, error) {
	if err := checkGamma(s.Gamma); err != nil {
		return nil, err
	}
	unit, err := unitLength(order)
	if err != nil {
		return nil, err
	}
	norm := floats.Norm(order, 2)
	next := make([]float64, len(order))
	for i, u := range unit {
		next[i] = s.Gamma*(u*u*u*norm+u/norm)/2 + (1-s.Gamma)*order[i]
	}
	return next, checkFinite("the order parameters after an update", next...)
}

// Energy implements [Memory].
func (s *Synergetic) Energy(state []float64) (float64, error) {
	order, err := s.OrderParameters(state)
	if err != nil {
		return 0, err
	}
	square, fourth := floats.Dot(order, order), 0.0
	for _, v := range order {
		fourth += v * v * v * v
	}
	energy := -square/2 + square*square/2 - fourth/4
	return energy, checkFinite("the energy", energy)
}

// Update implements [Memory].
func (s *Synergetic) Update(state []float64) ([]float64, error) {
	order, err := s.OrderParameters(state)
	if err != nil {
		return nil, err
	}
	if floats.Norm(order, 2) <= s.rounding*floats.Norm(state, 2) {
		return nil, ErrZeroState
	}
	if order, err = s.Activate(order); err != nil {
		return nil, err
	}
	return s.State(order)
}
