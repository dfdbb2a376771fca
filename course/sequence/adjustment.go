package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// Adjustment is an optional Syn adjustment of attention weights ([synlayer.Syn]) with the straight-through gradient
// ([synlayer.StraightThrough]). Every attention of this package has one; the zero value changes nothing.
type Adjustment struct {
	Iterations  int     // concentration if positive, distraction if negative, none at 0
	Gamma       float64 // γ in (0, 1]; ignored if Iterations is 0
	Renormalise bool    // divide by the sum afterwards; Syn does not keep it at 1
}

// Adjust returns the adjusted weights [..., items].
func (a Adjustment) Adjust(weights *Node) *Node {
	return a.adjust(weights, synlayer.Syn, func(x *Node) *Node { return ReduceAndKeep(x, ReduceSum, -1) })
}

// adjustInLoop is Adjust for the body of a [scan].
func (a Adjustment) adjustInLoop(weights *Node) *Node {
	unit := func(w *Node) *Node { // if weights sum to 1, some of their squares do not underflow
		norm := Sqrt(batched.SumLast(Mul(w, w)))
		return Div(w, Where(Equal(norm, ConstAs(norm, 0.0)), ConstAs(norm, 1.0), norm))
	}
	return a.adjust(weights, func(weights, gamma *Node, iterations int) *Node {
		return batched.SynWith(unit, weights, gamma, iterations)
	}, batched.SumLast)
}

// adjust is Adjust with the given implementations of Syn and of the sum over the last axis, which keeps the axis.
func (a Adjustment) adjust(weights *Node, syn func(weights, gamma *Node, iterations int) *Node, sum func(x *Node) *Node) *Node {
	if a.Iterations == 0 {
		return weights
	}
	if !(a.Gamma > 0 && a.Gamma <= 1) {
		exceptions.Panicf("sequence: Adjustment with gamma %g, want one in (0, 1]", a.Gamma)
	}
	adjusted := syn(weights, ConstAs(weights, a.Gamma), a.Iterations)
	if a.Renormalise {
		total := sum(adjusted)
		adjusted = Div(adjusted, Where(Equal(total, ConstAs(total, 0.0)), ConstAs(total, 1.0), total))
	}
	return synlayer.StraightThrough(weights, adjusted)
}
