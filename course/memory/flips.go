package memory

import "gonum.org/v1/gonum/floats"

// flips holds the patterns of a memory with components ±1 and energy E = −Σ F(xᵀξ), and updates states by energy
// differences: ξ_l becomes the sign of E(ξ with ξ_l = −1) − E(ξ with ξ_l = +1), and does not change if they are equal.
//
// The products xᵀξ of all patterns are kept, so trying or flipping a component takes O(N) for N patterns.
type flips struct {
	columns [][]float64 // [component][pattern]
}

func newFlips(patterns [][]float64) flips {
	columns := make([][]float64, len(patterns[0]))
	for l := range columns {
		columns[l] = make([]float64, len(patterns))
		for i, x := range patterns {
			columns[l][i] = x[l]
		}
	}
	return flips{columns}
}

// checkState requires stored patterns and a state of the same length.
func (f flips) checkState(state []float64) error {
	if f.columns == nil {
		return errNothingStored
	}
	return checkSigns("the state", state, len(f.columns))
}

// products returns xᵀξ of every pattern, which are integers in [-d, d].
func (f flips) products(state []float64) []float64 {
	products := make([]float64, len(f.columns[0]))
	for l, column := range f.columns {
		floats.AddScaled(products, state[l], column)
	}
	return products
}

// update returns the state after trying all components, one after another or, if synchronous, each from state. difference
// must return E(ξ with ξ_l = −1) − E(ξ with ξ_l = +1), up to a positive factor, from the products of the other components
// with the patterns and component l of the patterns.
func (f flips) update(state []float64, synchronous bool, difference func(others, column []float64) float64) []float64 {
	next := append([]float64{}, state...)
	products := f.products(state)
	others := make([]float64, len(products))
	for l := range state {
		column := f.columns[l]
		floats.AddScaledTo(others, products, -state[l], column)
		next[l] = sign(difference(others, column), state[l])
		if !synchronous && next[l] != state[l] {
			floats.AddScaledTo(products, others, next[l], column)
		}
	}
	return next
}
