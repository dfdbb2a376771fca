package memory

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Sequence is a continuous memory of a sequence: each pattern leads to the next (with the two matrices of Lu and Wu 2023,
// set from the patterns instead of learnt).
//
//	ξ ← V softmax(β Uᵀξ),  u_i = x_i,  v_i = x_{i+1}
//
// With V = U it is [Continuous]. It is not a [Memory], because no energy decreases with its updates.
type Sequence struct {
	Beta   float64 // β, the inverse temperature, at least 0
	Closed bool    // the first pattern follows the last; if false, the last follows itself

	now    *mat.Dense // Uᵀ, [pattern, component]
	next   *mat.Dense // Vᵀ
	closed bool       // setting that next was made with
}

// Store replaces the stored sequence by patterns.
func (s *Sequence) Store(patterns [][]float64) error {
	now := Continuous{Beta: s.Beta}
	if err := now.Store(patterns); err != nil {
		return err
	}
	last := patterns[len(patterns)-1]
	if s.Closed {
		last = patterns[0]
	}
	s.now, s.next, s.closed = now.patterns, dense(append(slices.Clone(patterns[1:]), last)), s.Closed
	return nil
}

// Update returns the state after one update, which moves to the next pattern of the sequence.
func (s *Sequence) Update(state []float64) ([]float64, error) {
	m, err := s.memory()
	if err != nil {
		return nil, err
	}
	weights, err := m.weights([][]float64{state})
	if err != nil {
		return nil, err
	}
	next := new(mat.Dense)
	next.Mul(weights, s.next)
	return next.RawRowView(0), nil
}

// Recall returns a copy of state, followed by the states after each of the given number of updates.
func (s *Sequence) Recall(state []float64, updates int) ([][]float64, error) {
	if updates < 0 {
		return nil, errors.New("memory: a negative number of updates; give 0 or more")
	}
	m, err := s.memory()
	if err != nil {
		return nil, err
	}
	if err := m.check([][]float64{state}); err != nil {
		return nil, err
	}
	states := [][]float64{slices.Clone(state)}
	for range updates {
		next, err := s.Update(states[len(states)-1])
		if err != nil {
			return states, err
		}
		states = append(states, next)
	}
	return states, nil
}

// memory returns the memory that computes the weights of an update.
func (s *Sequence) memory() (*Continuous, error) {
	if s.now != nil && s.Closed != s.closed {
		return nil, fmt.Errorf("memory: Closed is %v since patterns were stored with %v; call Store again", s.Closed, s.closed)
	}
	return &Continuous{Beta: s.Beta, patterns: s.now}, nil
}
