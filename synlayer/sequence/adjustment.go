package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Adjustment is an optional Syn adjustment of attention weights ([synlayer.Syn]), with the gradient of the weights before it
// ([synlayer.StraightThrough]). Every attention of this package has one; the zero value adjusts nothing.
type Adjustment struct {
	Iterations  int     // concentration if positive, distraction if negative, none at 0
	Gamma       float64 // γ in (0, 1]; not looked at where Iterations is 0
	Renormalise bool    // divide by the sum afterwards, which Syn does not keep at 1
}

// Adjust returns weights [..., items], adjusted.
func (a Adjustment) Adjust(weights *Node) *Node {
	if a.Iterations == 0 {
		return weights
	}
	if !(a.Gamma > 0 && a.Gamma <= 1) {
		exceptions.Panicf("sequence: Adjustment with gamma %g, want one in (0, 1]", a.Gamma)
	}
	adjusted := synlayer.Syn(weights, ConstAs(weights, a.Gamma), a.Iterations)
	if a.Renormalise {
		sum := ReduceAndKeep(adjusted, ReduceSum, -1)
		adjusted = Div(adjusted, Where(IsZero(sum), OnesLike(sum), sum))
	}
	return synlayer.StraightThrough(weights, adjusted)
}
