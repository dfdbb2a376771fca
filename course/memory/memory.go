package memory

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Memory is an associative memory: patterns are stored, and updates bring a state back to one of them.
type Memory interface {
	// Store replaces the stored patterns by patterns, [pattern][component].
	Store(patterns [][]float64) error
	// Energy returns the energy of a state; the doc comment of each memory says which updates never raise it.
	Energy(state []float64) (float64, error)
	// Update returns the state after one update of all components.
	Update(state []float64) (next []float64, err error)
}

var (
	_ Memory = (*Hopfield)(nil)
	_ Memory = (*Polynomial)(nil)
	_ Memory = (*Exponential)(nil)
	_ Memory = (*Continuous)(nil)
	_ Memory = (*Synergetic)(nil)
)

// Step is one state of a retrieval.
type Step struct {
	State  []float64
	Energy float64
}

// Trace is the course of a retrieval.
type Trace struct {
	Steps []Step // the initial state first; then one state per update
	Fixed bool   // the last update changed no component by more than the tolerance
}

// Last returns the final state, or nil if there are no steps.
func (t Trace) Last() []float64 {
	if len(t.Steps) == 0 {
		return nil
	}
	return t.Steps[len(t.Steps)-1].State
}

// Retrieve updates state until an update changes no component by more than tolerance, at most updates times. On an error it
// also returns the trace up to that point.
func Retrieve(m Memory, state []float64, updates int, tolerance float64) (trace Trace, err error) {
	add := func(state []float64) error {
		energy, err := m.Energy(state)
		if err == nil {
			trace.Steps = append(trace.Steps, Step{state, energy})
		}
		return err
	}
	if err := add(slices.Clone(state)); err != nil {
		return trace, err
	}
	_, _, trace.Fixed, err = settle(m, trace.Last(), updates, tolerance, add)
	return trace, err
}

// settle updates state like [Retrieve] and calls each, if not nil, with the state after every update. It returns the final
// state, the number of updates, and whether the state is fixed.
func settle(m Memory, state []float64, updates int, tolerance float64, each func(state []float64) error) (end []float64, count int, fixed bool, err error) {
	if updates < 0 {
		return nil, 0, false, fmt.Errorf("memory: at most %d updates; give 0 or more", updates)
	}
	if !(tolerance >= 0) {
		return nil, 0, false, fmt.Errorf("memory: tolerance %v of a fixed state; give 0 or more", tolerance)
	}
	for count < updates && !fixed {
		next, err := m.Update(state)
		if err == nil && len(next) != len(state) {
			err = fmt.Errorf("memory: it leads from %d components to %d; a memory must keep their number", len(state), len(next))
		}
		if err == nil && each != nil {
			err = each(next)
		}
		if err != nil {
			return nil, count, false, fmt.Errorf("update %d: %w", count+1, err)
		}
		fixed = floats.Distance(state, next, math.Inf(1)) <= tolerance
		state = next
		count++
	}
	return state, count, fixed, nil
}

var errNothingStored = errors.New("memory: no patterns are stored; call Store first")

// checkPatterns returns the number of components of patterns, which must be finite and of the same length.
func checkPatterns(patterns [][]float64) (components int, err error) {
	if len(patterns) == 0 || len(patterns[0]) == 0 {
		return 0, errors.New("memory: no patterns; store at least one of at least one component")
	}
	components = len(patterns[0])
	for i, x := range patterns {
		if err := checkVector(fmt.Sprintf("pattern %d", i), x, components); err != nil {
			return 0, err
		}
	}
	return components, nil
}

// checkVector requires that many finite components.
func checkVector(what string, x []float64, components int) error {
	if len(x) != components {
		return fmt.Errorf("memory: %s has %d components, not %d; give vectors of one length", what, len(x), components)
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("memory: component %d of %s is %v; give finite numbers", i, what, v)
		}
	}
	return nil
}

// checkSigns requires that many components of +1 or -1.
func checkSigns(what string, x []float64, components int) error {
	if err := checkVector(what, x, components); err != nil {
		return err
	}
	for i, v := range x {
		if v != 1 && v != -1 {
			return fmt.Errorf("memory: component %d of %s is %v; this memory has components of +1 and -1 (see Signs)", i, what, v)
		}
	}
	return nil
}

// checkSignPatterns is checkPatterns and checkSigns of each.
func checkSignPatterns(patterns [][]float64) (components int, err error) {
	if components, err = checkPatterns(patterns); err != nil {
		return 0, err
	}
	for i, x := range patterns {
		if err := checkSigns(fmt.Sprintf("pattern %d", i), x, components); err != nil {
			return 0, err
		}
	}
	return components, nil
}

// checkFinite requires a finite result: the squares of large components overflow.
func checkFinite(what string, values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("memory: %s is beyond the range of float64; scale patterns and state down", what)
		}
	}
	return nil
}
