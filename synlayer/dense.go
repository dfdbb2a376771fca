package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/members"
)

// Dense is the affine map xW + b of the last axis of x, of any number of axes, to width features. Its variables in scope are
// "weights" [features, width], drawn Xavier uniform ([XavierUniform]), and "bias" [width], from 0.
//
// With numMembers > 0 the first axis of x is the members axis, of that size ([Bags.Members]), and each member has weights of its
// own; with numMembers = 0 there is none. Dense panics if the variables are there in another shape.
func Dense(scope *model.Scope, x *Node, numMembers, width int) *Node {
	return members.Dense(scope, x, numMembers, width)
}
