package memory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Continuous is the modern Hopfield network with continuous patterns and states (Ramsauer et al. 2021).
//
//	E = −lse(β, Xᵀξ) + ½ ξᵀξ + (log N)/β + ½ M²,  lse(β, z) = log(Σ exp(β z))/β
//	ξ ← X softmax(β Xᵀξ)
//
// The N patterns are the columns of X; M is the largest of their L2 norms. At β = 0, the limit of small β, every state goes
// to the mean of the patterns in one update. As β grows, the pattern with the largest product with the state takes all the
// weight.
//
// Updates never raise the energy. It is in [0, 2M²] for states in the convex hull of the patterns.
type Continuous struct {
	Beta float64 // β, the inverse temperature, at least 0

	patterns *mat.Dense // Xᵀ, [pattern, component]
	halfM2   float64    // ½ M²
}

// Store implements [Memory].
func (c *Continuous) Store(patterns [][]float64) error {
	if _, err := checkPatterns(patterns); err != nil {
		return err
	}
	if err := c.checkBeta(); err != nil {
		return err
	}
	halfM2 := 0.0
	for _, x := range patterns {
		halfM2 = max(halfM2, floats.Dot(x, x)/2)
	}
	if err := checkFinite("the norm of a pattern", halfM2); err != nil {
		return err
	}
	c.patterns, c.halfM2 = dense(patterns), halfM2
	return nil
}

// Energy implements [Memory].
func (c *Continuous) Energy(state []float64) (float64, error) {
	products, err := c.products([][]float64{state})
	if err != nil {
		return 0, err
	}
	z := products.RawRowView(0)
	// lse(β, z) − (log N)/β, computed from the largest product and the logarithm of a mean, which is valid for every β.
	lse := floats.Sum(z) / float64(len(z))
	if c.Beta > 0 {
		largest, mean := floats.Max(z), 0.0
		for _, v := range z {
			mean += math.Expm1(c.Beta*(v-largest)) / float64(len(z))
		}
		lse = largest + math.Log1p(mean)/c.Beta
	}
	energy := -lse + floats.Dot(state, state)/2 + c.halfM2
	return energy, checkFinite("the energy", energy)
}

// Update implements [Memory].
func (c *Continuous) Update(state []float64) ([]float64, error) {
	weights, err := c.weights([][]float64{state})
	if err != nil {
		return nil, err
	}
	next := new(mat.Dense)
	next.Mul(weights, c.patterns)
	return next.RawRowView(0), nil
}

// OrderParameters returns softmax(β Xᵀξ), the weights of the patterns in the next state: equation 3 of the paper.
func (c *Continuous) OrderParameters(state []float64) ([]float64, error) {
	weights, err := c.weights([][]float64{state})
	if err != nil {
		return nil, err
	}
	return weights.RawRowView(0), nil
}

// weights returns softmax(β XᵀΞ), [state, pattern].
func (c *Continuous) weights(states [][]float64) (*mat.Dense, error) {
	w, err := c.products(states)
	if err != nil {
		return nil, err
	}
	for i := range states {
		row := w.RawRowView(i)
		largest := floats.Max(row)
		for j, z := range row {
			row[j] = math.Exp(c.Beta * (z - largest))
		}
		floats.Scale(1/floats.Sum(row), row)
	}
	return w, nil
}

// products returns XᵀΞ, [state, pattern].
func (c *Continuous) products(states [][]float64) (*mat.Dense, error) {
	if err := c.check(states); err != nil {
		return nil, err
	}
	products := new(mat.Dense)
	products.Mul(dense(states), c.patterns.T())
	return products, checkFinite("a product of a pattern and a state", 2*mat.Norm(products, math.Inf(1)))
}

// check requires stored patterns, and states of the same length.
func (c *Continuous) check(states [][]float64) error {
	if c.patterns == nil {
		return errNothingStored
	}
	if err := c.checkBeta(); err != nil {
		return err
	}
	if len(states) == 0 {
		return errors.New("memory: no states; give at least one")
	}
	_, d := c.patterns.Dims()
	for i, state := range states {
		if err := checkVector(fmt.Sprintf("state %d", i), state, d); err != nil {
			return err
		}
	}
	return nil
}

func (c *Continuous) checkBeta() error {
	if !(c.Beta >= 0) || math.IsInf(c.Beta, 0) {
		return fmt.Errorf("memory: inverse temperature %v; give a finite β of at least 0", c.Beta)
	}
	return nil
}
