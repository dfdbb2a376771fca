package memory

import (
	"errors"

	"gonum.org/v1/gonum/mat"
)

// Sequence is the continuous memory of a sequence: each pattern leads to the next one (the two matrices of Lu and Wu
// 2023, given by the patterns rather than learnt).
//
//	ξ ← V softmax(β Uᵀξ),  u_i = x_i,  v_i = x_{i+1}
//
// With V = U it is [Continuous]. It has no energy that its updates lower, and is no [Memory].
type Sequence struct {
	Beta   float64 // β, the inverse temperature, at least 0
	Closed bool    // the first pattern follows the last; otherwise the last follows itself

	now  Continuous
	next *mat.Dense // Vᵀ, [pattern, component]
}

// Store replaces what is stored by the sequence of patterns.
func (s *Sequence) Store(patterns [][]float64) error {
	now := Continuous{Beta: s.Beta}
	if err := now.Store(patterns); err != nil {
		return err
	}
	last := patterns[len(patterns)-1]
	if s.Closed {
		last = patterns[0]
	}
	s.now, s.next = now, dense(append(append([][]float64{}, patterns[1:]...), last))
	return nil
}

// Update returns the state after an update: the pattern that follows the state's.
func (s *Sequence) Update(state []float64) ([]float64, error) {
	s.now.Beta = s.Beta
	weights, err := s.now.weights([][]float64{state})
	if err != nil {
		return nil, err
	}
	next := new(mat.Dense)
	next.Mul(weights, s.next)
	return next.RawRowView(0), nil
}

// Recall returns state and the states after each of that many updates.
func (s *Sequence) Recall(state []float64, updates int) ([][]float64, error) {
	if updates < 0 {
		return nil, errors.New("memory: a negative number of updates; give 0 or more")
	}
	states := [][]float64{state}
	for range updates {
		next, err := s.Update(states[len(states)-1])
		if err != nil {
			return states, err
		}
		states = append(states, next)
	}
	return states, nil
}
