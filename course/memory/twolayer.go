package memory

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// TwoLayer is the network of Krotov and Hopfield 2021: visible neurons v and hidden neurons h act on each other through the
// same weights Ξ, and there are no synapses within a layer.
//
//	τ_v dv/dt = Ξᵀf − v,  g = ∇L_v(v)
//	τ_h dh/dt = Ξg − h,   f = ∇L_h(h)
//	E = (gᵀv − L_v(v)) + (fᵀh − L_h(h)) − fᵀΞg
//
// v and h are currents; g and f are activities. The patterns are the rows of Ξ, [hidden][visible]: one hidden neuron per
// pattern. The cue is the initial v, and h may start at 0; there is no external input. Krotov and Hopfield write τ_f for τ_v.
//
// Infinitely fast hidden neurons, τ_h = 0, have h = Ξg. Then the energy depends on v alone, and is that of known memories:
//
//	L_v          L_h               energy                                          their name
//	[Absolute]   [RectifiedPower]  −Σ max(xᵀg, 0)ⁿ/n: dense associative memory     model A
//	[Quadratic]  [LogSumExp]       −lse(β, Ξv) + ½ vᵀv: [Continuous]               model B
//
// In model B with τ_v = τ_h = 0, a step is an update of [Continuous]. Any two Lagrangians work together, also
// your own.
type TwoLayer struct {
	Visible, Hidden       Lagrangian // L_v and L_h
	TauVisible, TauHidden float64    // time constants τ_v and τ_h, at least 0

	patterns *mat.Dense // Ξ, [hidden, visible]
}

// Store replaces the weights Ξ by patterns, [hidden][visible].
func (n *TwoLayer) Store(patterns [][]float64) error {
	if _, err := checkPatterns(patterns); err != nil {
		return err
	}
	n.patterns = dense(patterns)
	return nil
}

// Energy returns the energy of the currents of both layers.
func (n *TwoLayer) Energy(visible, hidden []float64) (float64, error) {
	if err := n.check(visible, hidden); err != nil {
		return 0, err
	}
	lv, g, err := activities("visible", n.Visible, visible)
	if err != nil {
		return 0, err
	}
	lh, f, err := activities("hidden", n.Hidden, hidden)
	if err != nil {
		return 0, err
	}
	energy := floats.Dot(g, visible) - lv + floats.Dot(f, hidden) - lh - floats.Dot(f, product(n.patterns, g))
	return energy, checkFinite("the energy", energy)
}

// Step returns the currents after a time dt above 0. Hidden neurons step first. Decay is implicit:
//
//	h ← h + a (Ξg − h),   a = dt/(τ_h + dt)
//	v ← v + a (Ξᵀf − v),  a = dt/(τ_v + dt)
//
// Steps follow the differential equations to first order in dt. They never raise the energy, however long dt is: for fixed f,
// the energy is the Bregman divergence of L_v from v to Ξᵀf plus a constant, which falls along the straight line to Ξᵀf. The
// same holds for h and fixed g.
func (n *TwoLayer) Step(visible, hidden []float64, dt float64) (nextVisible, nextHidden []float64, err error) {
	if err := n.check(visible, hidden); err != nil {
		return nil, nil, err
	}
	if !(dt > 0) || math.IsInf(dt, 0) {
		return nil, nil, fmt.Errorf("memory: time step %v; give a finite number above 0", dt)
	}
	_, g, err := activities("visible", n.Visible, visible)
	if err != nil {
		return nil, nil, err
	}
	nextHidden = relax(hidden, product(n.patterns, g), dt/(n.TauHidden+dt))
	if err := checkFinite("a hidden current", nextHidden...); err != nil {
		return nil, nil, err
	}
	_, f, err := activities("hidden", n.Hidden, nextHidden)
	if err != nil {
		return nil, nil, err
	}
	nextVisible = relax(visible, product(n.patterns.T(), f), dt/(n.TauVisible+dt))
	return nextVisible, nextHidden, checkFinite("a visible current", nextVisible...)
}

// check requires stored patterns, settings, and currents of the right lengths.
func (n *TwoLayer) check(visible, hidden []float64) error {
	if n.patterns == nil {
		return errNothingStored
	}
	if n.Visible == nil || n.Hidden == nil {
		return errors.New("memory: a layer has no Lagrangian; set Visible and Hidden")
	}
	for _, tau := range []float64{n.TauVisible, n.TauHidden} {
		if !(tau >= 0) || math.IsInf(tau, 0) {
			return fmt.Errorf("memory: time constant %v; give a finite number of at least 0", tau)
		}
	}
	h, v := n.patterns.Dims()
	if err := checkVector("the visible layer", visible, v); err != nil {
		return err
	}
	return checkVector("the hidden layer", hidden, h)
}

// relax returns x + a (target − x).
func relax(x, target []float64, a float64) []float64 {
	floats.Scale(a, target)
	floats.AddScaled(target, 1-a, x)
	return target
}

// product returns Wx.
func product(w mat.Matrix, x []float64) []float64 {
	y := new(mat.VecDense)
	y.MulVec(w, mat.NewVecDense(len(x), x))
	return y.RawVector().Data
}
