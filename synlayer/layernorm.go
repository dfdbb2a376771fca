package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// LayerNorm normalises the last axis of x to mean 0 and variance 1, then multiplies it by the variable "gain" [features] of
// scope, initially 1, and adds "bias" [features], initially 0 (Ba, Kiros and Hinton 2016). 1e-5 is added to the variance.
//
// With numMembers > 0 the first axis of x is the members axis, of that size, and each member has its own gain and bias; with
// numMembers = 0 there is none. LayerNorm panics if the variables exist in a different shape.
func LayerNorm(scope *model.Scope, x *Node, numMembers int) *Node {
	return batched.LayerNorm(scope, x, numMembers)
}
