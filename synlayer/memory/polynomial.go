package memory

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Polynomial is the dense associative memory of Krotov and Hopfield 2016, of components ±1, with the power a of the
// products of patterns and state as interaction.
//
//	E = −Σ (xᵀξ)ᵃ
//	ξ_l ← sgn(E(ξ with ξ_l = −1) − E(ξ with ξ_l = +1)), unchanged where they are equal
//
// At a = 2 it is [Hopfield] without a bias: updates are those with ZeroDiagonal, and the energy is twice that with the
// diagonal. It retrieves about α dᵃ⁻¹ patterns ([PolynomialCapacity]).
//
// Asynchronous updates never raise the energy. All is exact as long as N dᵃ < 2⁵³; beyond, differences are rounded.
type Polynomial struct {
	Power       int        // a, at least 2
	Synchronous bool       // every component from the same state; otherwise one after another
	Order       *rand.Rand // draws the order of the components of each asynchronous update; nil for first to last

	flips
	power       int       // that of the tables
	interaction []float64 // zᵃ at [z+d]
	differences []float64 // (z+1)ᵃ − (z−1)ᵃ at [z+d]
}

// Store implements [Memory]; components are ±1.
func (p *Polynomial) Store(patterns [][]float64) error {
	d, err := checkSignPatterns(patterns)
	if err != nil {
		return err
	}
	if p.Power < 2 {
		return fmt.Errorf("memory: power %d of a polynomial memory; give 2 or more", p.Power)
	}
	if exponent := float64(p.Power)*math.Log(float64(d+1)) + math.Log(float64(len(patterns))); exponent > maxExponent {
		return fmt.Errorf("memory: energies of %d patterns of %d components at power %d reach exp(%.0f), beyond the range of float64; lower the power", len(patterns), d, p.Power, exponent)
	}
	p.flips = newFlips(patterns)
	p.power = p.Power
	p.interaction = make([]float64, 2*d+1)
	p.differences = make([]float64, 2*d+1)
	power := func(z int) float64 { return math.Pow(float64(z), float64(p.Power)) }
	for z := -d; z <= d; z++ {
		p.interaction[z+d] = power(z)
		p.differences[z+d] = power(z+1) - power(z-1)
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
	return p.update(state, p.Synchronous, p.Order, func(others, column []float64) float64 {
		difference := 0.0
		for i, z := range others {
			difference += column[i] * p.differences[int(z)+d]
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
