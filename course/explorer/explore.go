// Package explorer computes what the explorer page shows of a Syn layer: the order parameters of attention weights after
// each step, their limit, the curves of f and f⁻¹, and where float32 would fail. The steps are those of [memory.Syn].
//
// Package page builds the page from the neighbouring package program, which runs in a browser; a built page is
// docs/explorer.html.
package explorer

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/course/memory"
)

// Limits of the settings.
const (
	MostWeights    = 64
	MostIterations = 1000
)

// Settings are the attention weights of one head and the Syn layer that adjusts them.
type Settings struct {
	Weights    []float64 // at least 0, not all 0
	Iterations int       // Syn steps: forward if positive, inverse if negative
	Gamma      float64   // γ, in (0, 1]
}

// Order is the vector of order parameters after a step, on three scales.
type Order struct {
	Raw   []float64 // ξ, the result of the step
	Unit  []float64 // ξ/‖ξ‖₂
	Share []float64 // ξ/Σξ
}

// View is what the page shows for [Settings].
type View struct {
	Steps    []Order // the weights, then after every step
	Limit    *Order  // limit of the steps in that direction; nil without steps
	Equal    int     // the number of non-zero order parameters of the limit, all equal; 0 without steps
	Rate     float64 // factor of the distance from the limit per step, near the limit; 0 for cubic convergence
	F        [][2]float64
	Inverse  [][2]float64 // F mirrored at the diagonal
	Warnings []Warning
}

// Explore returns the view of settings.
func Explore(s Settings) (*View, error) {
	if len(s.Weights) == 0 || len(s.Weights) > MostWeights {
		return nil, fmt.Errorf("%d weights; give 1 to %d", len(s.Weights), MostWeights)
	}
	if s.Iterations < -MostIterations || s.Iterations > MostIterations {
		return nil, fmt.Errorf("%d steps; give %d to %d", s.Iterations, -MostIterations, MostIterations)
	}
	for i, w := range s.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("weight %d is %v; give a finite number of at least 0", i+1, w)
		}
	}
	syn := memory.Syn{Gamma: s.Gamma}
	f, err := curve(syn)
	if err != nil {
		return nil, err
	}
	if floats.Max(s.Weights) == 0 {
		return nil, errors.New("all weights are 0, and a step would divide by their length; give one above 0")
	}
	first, err := order(s.Weights)
	if err != nil {
		return nil, err
	}
	v := &View{Steps: []Order{first}, F: f}
	for _, p := range f {
		v.Inverse = append(v.Inverse, [2]float64{p[1], p[0]})
	}
	step, count := syn.Forward, s.Iterations
	if count < 0 {
		step, count = syn.Inverse, -count
	}
	for range count {
		next, err := step(v.Steps[len(v.Steps)-1].Raw)
		if err != nil {
			return nil, err
		}
		o, err := order(next)
		if err != nil {
			return nil, err
		}
		v.Steps = append(v.Steps, o)
	}
	if count > 0 {
		if err := v.limit(syn, s); err != nil {
			return nil, err
		}
	}
	v.Warnings = warnings(s, v.Steps)
	return v, nil
}

// limit computes the limit of the steps: equal order parameters at the largest weights or, for inverse steps, at all weights
// that are not 0.
func (v *View) limit(syn memory.Syn, s Settings) error {
	step, rate, least := syn.Forward, syn.ForwardRate, floats.Max(s.Weights)
	if s.Iterations < 0 {
		step, rate, least = syn.Inverse, syn.InverseRate, math.SmallestNonzeroFloat64
	}
	end := make([]float64, len(s.Weights))
	for i, w := range s.Weights {
		if w >= least {
			end[i] = 1
			v.Equal++
		}
	}
	raw, err := step(end)
	if err != nil {
		return err
	}
	o, err := order(raw)
	if err != nil {
		return err
	}
	v.Limit = &o
	v.Rate, err = rate(v.Equal)
	return err
}

// order returns order parameters on the three scales.
func order(raw []float64) (Order, error) {
	sum, norm := floats.Sum(raw), floats.Norm(raw, 2)
	if math.IsInf(sum, 0) || math.IsInf(norm, 0) {
		return Order{}, errors.New("the sum of the weights is beyond the range of numbers; give smaller ones")
	}
	o := Order{Raw: raw, Unit: make([]float64, len(raw)), Share: make([]float64, len(raw))}
	for i, x := range raw {
		o.Unit[i], o.Share[i] = x/norm, x/sum
	}
	return o, nil
}

// curvePoints is the number of segments of a curve.
const curvePoints = 100

// curve returns points (x, f(x)) for x from 0 to 1. A step divides by the length first, so x is a component of a vector of
// length 1.
func curve(syn memory.Syn) ([][2]float64, error) {
	var points [][2]float64
	for i := range curvePoints + 1 {
		x := float64(i) / curvePoints
		y, err := syn.Forward([]float64{x, math.Sqrt(1 - x*x)})
		if err != nil {
			return nil, err
		}
		points = append(points, [2]float64{x, y[0]})
	}
	return points, nil
}
