package memory

import (
	"fmt"
	"math"
	"math/big"
)

// Polynomial is the dense associative memory of Krotov and Hopfield 2016 with components ±1. Its interaction is the power a
// of the products of patterns and state.
//
//	E = −Σ (xᵀξ)ᵃ
//	ξ_l ← sgn(E(ξ with ξ_l = −1) − E(ξ with ξ_l = +1)), unchanged if they are equal up to rounding
//
// At a = 2 it is [Hopfield]: updates are the same as with ZeroDiagonal, and the energy is twice the one with
// the diagonal. It stores about α dᵃ⁻¹ patterns ([PolynomialCapacity]).
//
// Asynchronous updates never raise the energy. Energies are exact as long as N (d+1)ᵃ < 2⁵³; beyond that they and their
// differences are rounded, and a difference within the rounding error counts as 0.
type Polynomial struct {
	Power       int  // a, at least 2
	Synchronous bool // update every component from the same state; otherwise one after another

	flips
	power       int       // power that the tables were made for
	rounding    float64   // rounding error of a difference, relative to the sum of the magnitudes of its terms; 0 if exact
	interaction []float64 // zᵃ at [z+d]
	differences []float64 // (z+1)ᵃ − (z−1)ᵃ at [z+d]
}

// Store implements [Memory]; components are ±1.
func (p *Polynomial) Store(patterns [][]float64) error {
	d, err := checkSignPatterns(patterns)
	if err != nil {
		return err
	}
	if err := checkPower(p.Power); err != nil {
		return err
	}
	exponent := float64(p.Power)*math.Log(float64(d+1)) + math.Log(float64(len(patterns)))
	if exponent > maxExponent {
		return fmt.Errorf("memory: energies of %d patterns of %d components at power %d reach exp(%.0f), beyond the range of float64; lower the power", len(patterns), d, p.Power, exponent)
	}
	p.flips = newFlips(patterns)
	p.power = p.Power
	p.interaction = make([]float64, 2*d+1)
	p.differences = make([]float64, 2*d+1)
	p.rounding = 0
	if exponent >= 53*math.Ln2 {
		p.rounding = float64(len(patterns)) * 0x1p-52
	}
	power := func(z int) *big.Int {
		return new(big.Int).Exp(big.NewInt(int64(z)), big.NewInt(int64(p.Power)), nil)
	}
	for z := -d; z <= d; z++ {
		p.interaction[z+d], _ = new(big.Float).SetInt(power(z)).Float64()
		difference := power(z + 1)
		p.differences[z+d], _ = new(big.Float).SetInt(difference.Sub(difference, power(z-1))).Float64()
	}
	return nil
}

// maxExponent is the largest exponent of energies, with room for sums of them.
const maxExponent = 700

// Energy implements [Memory].
func (p *Polynomial) Energy(state []float64) (float64, error) {
	if err := p.check(state); err != nil {
		return 0, err
	}
	energy := 0.0
	for _, z := range p.products(state) {
		energy -= p.interaction[int(z)+len(state)]
	}
	return energy, nil
}

// Update implements [Memory].
func (p *Polynomial) Update(state []float64) ([]float64, error) {
	if err := p.check(state); err != nil {
		return nil, err
	}
	d := len(state)
	return p.update(state, p.Synchronous, func(others, column []float64) float64 {
		difference, size := 0.0, 0.0
		for i, z := range others {
			term := p.differences[int(z)+d]
			difference += column[i] * term
			size += math.Abs(term)
		}
		if math.Abs(difference) <= p.rounding*size {
			return 0 // rounding
		}
		return difference
	}), nil
}

func (p *Polynomial) check(state []float64) error {
	if err := p.checkState(state); err != nil {
		return err
	}
	if p.Power != p.power {
		return fmt.Errorf("memory: power %d since patterns were stored at power %d; call Store again", p.Power, p.power)
	}
	return nil
}
