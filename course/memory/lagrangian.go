package memory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Lagrangian is a convex function L of the currents x of a layer of neurons, for [TwoLayer]. Its gradient is the layer's
// activities.
type Lagrangian interface {
	// Activities returns L(x) and ∇L(x), one activity per neuron. It must not change or keep x.
	Activities(x []float64) (value float64, gradient []float64, err error)
}

var (
	_ Lagrangian = Quadratic{}
	_ Lagrangian = Absolute{}
	_ Lagrangian = LogSumExp{}
	_ Lagrangian = RectifiedPower{}
)

// Quadratic is the Lagrangian of linear neurons.
//
//	L(x) = ½ Σ xᵢ²
//	∇L(x) = x
type Quadratic struct{}

// Activities implements [Lagrangian].
func (Quadratic) Activities(x []float64) (value float64, gradient []float64, err error) {
	return floats.Dot(x, x) / 2, append([]float64{}, x...), nil
}

// Absolute is the Lagrangian of binary neurons.
//
//	L(x) = Σ |xᵢ|
//	∇L(x)ᵢ = sgn(xᵢ), 0 at 0
type Absolute struct{}

// Activities implements [Lagrangian].
func (Absolute) Activities(x []float64) (value float64, gradient []float64, err error) {
	gradient = make([]float64, len(x))
	for i, v := range x {
		gradient[i] = sign(v, 0)
	}
	return floats.Norm(x, 1), gradient, nil
}

// LogSumExp is the Lagrangian of neurons that inhibit each other, so that their activities sum to 1.
//
//	L(x) = lse(β, x) = log(Σ exp(β xᵢ))/β
//	∇L(x) = softmax(β x)
type LogSumExp struct {
	Beta float64 // β, the inverse temperature, above 0
}

// Activities implements [Lagrangian].
func (l LogSumExp) Activities(x []float64) (value float64, gradient []float64, err error) {
	if !(l.Beta > 0) || math.IsInf(l.Beta, 0) {
		return 0, nil, fmt.Errorf("memory: inverse temperature %v; give a finite β above 0", l.Beta)
	}
	if len(x) == 0 {
		return 0, nil, errors.New("memory: softmax of no neurons; give at least 1")
	}
	gradient = make([]float64, len(x))
	largest := floats.Max(x)
	for i, v := range x {
		gradient[i] = math.Exp(l.Beta * (v - largest))
	}
	sum := floats.Sum(gradient)
	floats.Scale(1/sum, gradient)
	return largest + math.Log(sum)/l.Beta, gradient, nil
}

// RectifiedPower is the Lagrangian of rectified neurons.
//
//	L(x) = Σ max(xᵢ, 0)ⁿ/n
//	∇L(x)ᵢ = max(xᵢ, 0)ⁿ⁻¹
type RectifiedPower struct {
	Power int // n, at least 2
}

// Activities implements [Lagrangian].
func (r RectifiedPower) Activities(x []float64) (value float64, gradient []float64, err error) {
	if err := checkPower(r.Power); err != nil {
		return 0, nil, err
	}
	gradient = make([]float64, len(x))
	for i, v := range x {
		rectified := max(v, 0)
		gradient[i] = math.Pow(rectified, float64(r.Power-1))
		value += rectified * gradient[i] / float64(r.Power)
	}
	return value, gradient, nil
}

// activities returns L(x) and ∇L(x), which must be finite.
func activities(layer string, l Lagrangian, x []float64) (value float64, gradient []float64, err error) {
	if value, gradient, err = l.Activities(x); err != nil {
		return 0, nil, fmt.Errorf("%s layer: %w", layer, err)
	}
	if len(gradient) != len(x) {
		return 0, nil, fmt.Errorf("memory: %T gives %d activities for %d neurons; a Lagrangian must give one for each", l, len(gradient), len(x))
	}
	return value, gradient, checkFinite("an activity of the "+layer+" layer", append(gradient, value)...)
}
