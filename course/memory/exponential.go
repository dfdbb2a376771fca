package memory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Exponential is the memory of Demircigil et al. 2017 with components ±1 and the exponential as interaction.
//
//	E = −Σ exp(xᵀξ) = −exp(lse(1, Xᵀξ))
//	ξ_l ← sgn(E(ξ with ξ_l = −1) − E(ξ with ξ_l = +1)), unchanged if they are equal up to rounding
//
// It stores about 2^(d/2) patterns ([ExponentialCapacityAll]). Asynchronous updates never raise the energy.
//
// Energies overflow for patterns of about 700 components. With Log, the energy is −log(−E) = −lse(1, Xᵀξ), which orders
// states in the same way as E. Updates compare energies without overflow in either case.
type Exponential struct {
	Log         bool // the energy is −log(−E)
	Synchronous bool // update every component from the same state; otherwise one after another

	flips
	decays []float64 // exp(−k) at [k]
}

// Store implements [Memory]; components are ±1.
func (e *Exponential) Store(patterns [][]float64) error {
	d, err := checkSignPatterns(patterns)
	if err != nil {
		return err
	}
	if exponent := float64(d) + math.Log(float64(len(patterns))); !e.Log && exponent > maxExponent {
		return fmt.Errorf("memory: energies of %d patterns of %d components reach exp(%.0f), beyond the range of float64; set Log", len(patterns), d, exponent)
	}
	e.flips = newFlips(patterns)
	e.decays = make([]float64, 2*d+1)
	for k := range e.decays {
		e.decays[k] = math.Exp(-float64(k))
	}
	return nil
}

// Energy implements [Memory].
func (e *Exponential) Energy(state []float64) (float64, error) {
	if err := e.checkState(state); err != nil {
		return 0, err
	}
	products := e.products(state)
	if e.Log {
		return -floats.LogSumExp(products), nil
	}
	energy := 0.0
	for _, z := range products {
		energy -= math.Exp(z)
	}
	return energy, checkFinite("the energy (without Log)", energy)
}

// Update implements [Memory].
func (e *Exponential) Update(state []float64) ([]float64, error) {
	if err := e.checkState(state); err != nil {
		return nil, err
	}
	// exp(z+x) − exp(z−x) = 2 sinh(1) x exp(z) at x = ±1, divided by its largest value.
	return e.update(state, e.Synchronous, func(others, column []float64) float64 {
		largest := floats.Max(others)
		difference, size := 0.0, 0.0
		for i, z := range others {
			decay := e.decays[int(largest-z)]
			difference += column[i] * decay
			size += decay
		}
		if math.Abs(difference) <= float64(len(others))*0x1p-52*size {
			return 0 // rounding
		}
		return difference
	}), nil
}
