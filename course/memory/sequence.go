package memory

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Sequence is a memory of a sequence of patterns with components ±1 (Lu and Wu 2023). Hidden neurons y lead from each pattern
// to the next.
//
//	y = sgn(U x(t))       U: [hidden, component]
//	x(t+1) = sgn(V y)     V: [component, hidden], sgn(0) = −1
//
// In [TwoLayer] both directions have the same weights, and states come to rest. Here U and V are two matrices, both learnt,
// and the state moves on. A network without hidden neurons, x(t+1) = sgn(W x(t)), has only sequences in which each component
// is a linearly separable function of the state before. Enough hidden neurons lift this limit.
type Sequence struct {
	Hidden int     // number of hidden neurons, at least 1
	Margin float64 // κ, above 0: a layer learns until every sum into its neurons has the right sign and is at least κ
	Rate   float64 // η, the learning rate, above 0; weights start at 0, so only κ/η matters
	Epochs int     // a layer passes through the sequence at most this many times, at least 1

	u, v *mat.Dense // in units of η: sums of whole numbers, and so exact
}

// Learn replaces what was learnt by a sequence, [time][component]. For a cycle, end with the first pattern.
//
// The targets z of the hidden neurons are signs of random sums: P is a matrix of normal numbers from random. Both layers
// learn by the perceptron rule with a margin, in which a weight depends on its two neurons alone:
//
//	U ← U + η μ xᵀ(t),  μ_i = z_i where z_i (U x(t))_i < κ, else 0,  z = sgn(P x(t+1))
//	V ← V + η ν yᵀ,     ν_j = x_j(t+1) where x_j(t+1) (V y)_j < κ, else 0
//
// If weights with a margin exist, a layer finds some in a finite number of passes. The rule of U does not need V. Here U
// learns first, so that V learns from hidden neurons that no longer change; Lu and Wu learn both at once. V can reach
// its margin even if U does not.
//
// Patterns may repeat, but equal patterns must have equal successors: the next state depends on the present one alone. If
// they have not, or a transition is wrong after learning, Learn returns an error and changes nothing.
func (s *Sequence) Learn(sequence [][]float64, random *rand.Rand) error {
	if err := s.check(sequence); err != nil {
		return err
	}
	p := mat.NewDense(s.Hidden, len(sequence[0]), nil)
	p.Apply(func(int, int, float64) float64 { return random.NormFloat64() }, p)
	return s.learn(sequence, p)
}

// learn is [Sequence.Learn] with P.
func (s *Sequence) learn(sequence [][]float64, p *mat.Dense) error {
	now, next := sequence[:len(sequence)-1], sequence[1:]
	u := s.perceptron(now, fire(p, next))
	y := fire(u, now)
	v := s.perceptron(y, next)
	wrong := 0
	for t, x := range fire(v, y) {
		if !floats.Equal(x, next[t]) {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("memory: %d of %d transitions are wrong after %d epochs; give more hidden neurons or epochs", wrong, len(now), s.Epochs)
	}
	s.u, s.v = u, v
	return nil
}

// Update returns the next state, sgn(V sgn(U state)).
func (s *Sequence) Update(state []float64) ([]float64, error) {
	if s.u == nil {
		return nil, errors.New("memory: no sequence is learnt; call Learn first")
	}
	_, d := s.u.Dims()
	if err := checkSigns("the state", state, d); err != nil {
		return nil, err
	}
	return fire(s.v, fire(s.u, [][]float64{state}))[0], nil
}

// perceptron returns weights that lead from each x of from to the signs in to, in units of η.
func (s *Sequence) perceptron(from, to [][]float64) *mat.Dense {
	w := mat.NewDense(len(to[0]), len(from[0]), nil)
	for epoch, changed := 0, true; epoch < s.Epochs && changed; epoch++ {
		changed = false
		for t, x := range from {
			for i, target := range to[t] {
				if weights := w.RawRowView(i); target*floats.Dot(weights, x) < s.Margin/s.Rate {
					floats.AddScaled(weights, target, x)
					changed = true
				}
			}
		}
	}
	return w
}

// fire returns sgn(Wx) of each x.
func fire(w mat.Matrix, xs [][]float64) [][]float64 {
	y := make([][]float64, len(xs))
	for t, x := range xs {
		y[t] = Signs(product(w, x), 0)
	}
	return y
}

func (s *Sequence) check(sequence [][]float64) error {
	if _, err := checkSignPatterns(sequence); err != nil {
		return err
	}
	switch {
	case len(sequence) == 1:
		return errors.New("memory: a sequence of 1 pattern; give at least 2")
	case s.Hidden < 1 || s.Epochs < 1:
		return fmt.Errorf("memory: %d hidden neurons and %d epochs; give at least 1 of each", s.Hidden, s.Epochs)
	case !(s.Margin > 0 && s.Rate > 0) || math.IsInf(s.Margin, 0) || math.IsInf(s.Rate, 0):
		return fmt.Errorf("memory: margin %v and learning rate %v; give finite numbers above 0", s.Margin, s.Rate)
	}
	for t := range len(sequence) - 1 {
		for before := range t {
			if floats.Equal(sequence[before], sequence[t]) && !floats.Equal(sequence[before+1], sequence[t+1]) {
				return fmt.Errorf("memory: patterns %d and %d are equal, but patterns %d and %d after them differ; give equal ones one successor", before, t, before+1, t+1)
			}
		}
	}
	return nil
}
