package memory

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Attention is the continuous modern Hopfield network between linear maps, which makes it (multi-head) attention. The rows
// of R are raw states, those of Y raw stored patterns. Both are mapped to an association space, where each state retrieves
// in each head:
//
//	Q = R W_Q + b_Q                  states, Ξᵀ
//	K = Y W_K + b_K                  stored patterns, Xᵀ
//	V = Y W_V + b_V
//	Z = softmax(β Q Kᵀ) V            in each head, heads concatenated, then Z W_O + b_O
//
// With R = Y it is self-attention; β = 1/√(columns of K over Heads) is the Transformer's scale.
type Attention struct {
	Heads int     // must divide the number of columns of Q, K and V
	Beta  float64 // β, the inverse temperature, at least 0

	Query, Key, Value, Output Linear
}

// Linear maps rows x to x Weights + Bias.
type Linear struct {
	Weights [][]float64 // [in][out]; nil for the identity
	Bias    []float64   // [out]; nil for none
}

// Associate returns Z, [state][column], and the weights of the stored patterns, [head][state][pattern].
func (a Attention) Associate(states, patterns [][]float64) (z [][]float64, weights [][][]float64, err error) {
	if _, err := checkPatterns(patterns); err != nil {
		return nil, nil, err
	}
	if len(states) == 0 || len(states[0]) == 0 {
		return nil, nil, errors.New("memory: no states; give at least one of at least one component")
	}
	for i, state := range states {
		if err := checkVector(fmt.Sprintf("state %d", i), state, len(states[0])); err != nil {
			return nil, nil, err
		}
	}
	stored := dense(patterns)
	q, err := a.Query.apply("query", dense(states))
	if err != nil {
		return nil, nil, err
	}
	k, err := a.Key.apply("key", stored)
	if err != nil {
		return nil, nil, err
	}
	if _, nq := q.Dims(); nq != columns(k) {
		return nil, nil, fmt.Errorf("memory: states are mapped to %d columns and patterns to %d; give maps to as many", nq, columns(k))
	}
	width, err := a.headSize("keys", columns(k))
	if err != nil {
		return nil, nil, err
	}
	v, err := a.Value.apply("value", stored)
	if err != nil {
		return nil, nil, err
	}
	valueWidth, err := a.headSize("values", columns(v))
	if err != nil {
		return nil, nil, err
	}
	joined := mat.NewDense(len(states), columns(v), nil)
	for h := range a.Heads {
		memory := Continuous{Beta: a.Beta}
		if err := memory.Store(rows(block(k, h, width))); err != nil {
			return nil, nil, fmt.Errorf("head %d: %w", h, err)
		}
		w, err := memory.weights(rows(block(q, h, width)))
		if err != nil {
			return nil, nil, fmt.Errorf("head %d: %w", h, err)
		}
		weights = append(weights, rows(w))
		block(joined, h, valueWidth).Mul(w, block(v, h, valueWidth))
	}
	out, err := a.Output.apply("output", joined)
	if err != nil {
		return nil, nil, err
	}
	return rows(out), weights, nil
}

// headSize divides columns among the heads.
func (a Attention) headSize(what string, columns int) (int, error) {
	if a.Heads < 1 || columns%a.Heads != 0 {
		return 0, fmt.Errorf("memory: %d heads for %s of %d columns; give a number that divides them", a.Heads, what, columns)
	}
	return columns / a.Heads, nil
}

// apply maps the rows of x.
func (l Linear) apply(name string, x *mat.Dense) (*mat.Dense, error) {
	y := x
	if l.Weights != nil {
		if len(l.Weights) != columns(x) || len(l.Weights[0]) == 0 {
			return nil, fmt.Errorf("memory: %s map of %d rows from %d columns; give one row a column, of at least one component", name, len(l.Weights), columns(x))
		}
		for i, row := range l.Weights {
			if err := checkVector(fmt.Sprintf("row %d of the %s map", i, name), row, len(l.Weights[0])); err != nil {
				return nil, err
			}
		}
		y = new(mat.Dense)
		y.Mul(x, dense(l.Weights))
	}
	if l.Bias != nil {
		if err := checkVector("the "+name+" bias", l.Bias, columns(y)); err != nil {
			return nil, err
		}
		biased := new(mat.Dense)
		biased.Apply(func(_, j int, v float64) float64 { return v + l.Bias[j] }, y)
		y = biased
	}
	return y, checkFinite("what the "+name+" map leads to", mat.Norm(y, 1))
}

func columns(m mat.Matrix) int {
	_, n := m.Dims()
	return n
}

// block returns the columns of head h.
func block(m *mat.Dense, h, width int) *mat.Dense {
	n, _ := m.Dims()
	return m.Slice(0, n, h*width, (h+1)*width).(*mat.Dense)
}
