package memory

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Hopfield is the classical Hopfield network (Hopfield 1982) with components ±1 and weights by the Hebb rule.
//
//	W = Σ x xᵀ    (ZeroDiagonal: w_ii = 0)
//	E = −½ ξᵀWξ + bᵀξ
//	ξ ← sgn(Wξ − b)
//
// A component whose field (Wξ − b)_i is 0 does not change.
//
// Updates never raise the energy, except synchronous ones with ZeroDiagonal. These end in a fixed state or alternate between
// two states, because −ξ(t)ᵀWξ(t−1) + bᵀ(ξ(t) + ξ(t−1)) never rises. For N patterns the diagonal of W is N, so each component
// supports itself: every state that is fixed with ZeroDiagonal is fixed without it, and so are many more, patterns and
// others. With ZeroDiagonal, up to about 0.14 d random patterns of d components have a fixed point near them. Without a bias,
// a state and its negative have the same energy, so the negatives of patterns are retrieved too.
type Hopfield struct {
	Bias         []float64 // b, the threshold of each component; nil for none
	ZeroDiagonal bool      // no component acts on itself, as in Hopfield 1982
	Synchronous  bool      // update all components at once; otherwise one after another, each using the components updated before it

	weights      *mat.Dense
	zeroDiagonal bool // setting that the stored weights were made with
}

// Store implements [Memory]; components are ±1.
func (h *Hopfield) Store(patterns [][]float64) error {
	d, err := checkSignPatterns(patterns)
	if err != nil {
		return err
	}
	x := dense(patterns)
	w := new(mat.Dense)
	w.Mul(x.T(), x)
	if h.ZeroDiagonal {
		for i := range d {
			w.Set(i, i, 0)
		}
	}
	h.weights, h.zeroDiagonal = w, h.ZeroDiagonal
	return nil
}

// Energy implements [Memory].
func (h *Hopfield) Energy(state []float64) (float64, error) {
	if err := h.check(state); err != nil {
		return 0, err
	}
	energy := 0.0
	for i, v := range state {
		energy -= v * floats.Dot(h.weights.RawRowView(i), state) / 2
	}
	if h.Bias != nil {
		energy += floats.Dot(h.Bias, state)
	}
	return energy, checkFinite("the energy", energy)
}

// Update implements [Memory].
func (h *Hopfield) Update(state []float64) ([]float64, error) {
	if err := h.check(state); err != nil {
		return nil, err
	}
	next := append([]float64{}, state...)
	seen := next
	if h.Synchronous {
		seen = state
	}
	for i := range state {
		field := floats.Dot(h.weights.RawRowView(i), seen)
		if h.Bias != nil {
			field -= h.Bias[i]
		}
		next[i] = sign(field, state[i])
	}
	return next, nil
}

func (h *Hopfield) check(state []float64) error {
	if h.weights == nil {
		return errNothingStored
	}
	if h.ZeroDiagonal != h.zeroDiagonal {
		return fmt.Errorf("memory: ZeroDiagonal is %v since patterns were stored with %v; call Store again", h.ZeroDiagonal, h.zeroDiagonal)
	}
	d, _ := h.weights.Dims()
	if h.Bias != nil {
		if err := checkVector("the bias", h.Bias, d); err != nil {
			return err
		}
	}
	return checkSigns("the state", state, d)
}

// sign returns the sign of x as ±1, and otherwise for 0.
func sign(x, otherwise float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return otherwise
}

// dense returns a matrix of the given rows, copied.
func dense(x [][]float64) *mat.Dense {
	m := mat.NewDense(len(x), len(x[0]), nil)
	for i, row := range x {
		m.SetRow(i, row)
	}
	return m
}

// rows returns the rows of a matrix, copied.
func rows(m mat.Matrix) [][]float64 {
	n, _ := m.Dims()
	x := make([][]float64, n)
	for i := range x {
		x[i] = mat.Row(nil, i, m)
	}
	return x
}
