package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// Dense returns the affine map xW + b of the last axis of x to width features; x may have any number of axes. Its variables
// in scope are "weights" [features, width], initialised by [XavierUniform], and "bias" [width], initialised to 0.
//
// With numMembers > 0 the first axis of x is the members axis, of that size ([Bags.Members]), and each member has its own
// weights; with numMembers = 0 there is none. Dense panics if the variables exist in a different shape.
func Dense(scope *model.Scope, x *Node, numMembers, width int) *Node {
	return batched.Dense(scope, x, numMembers, width)
}
