package capsule

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Comparison has one layer of capsules and one of self-attention look at the same children, to put their weights side
// by side. Both have as many parents as children and several views of them, each view with trained transforms of its
// own: capsule types on one side, heads on the other. They differ in
//
//   - the sums to 1. A child shares itself out among all parents of all types together; each parent, in each head
//     alone, shares itself out among the children.
//   - what parents know beforehand: nothing, and find it by routing; or, in self-attention, each its own child.
//   - the place of the positions, if Positions is set: capsules add them to the votes, after the transforms;
//     attention adds them to its input, before.
//
// Variables: transforms [Views, parents, 4, 4] of the votes, drawn from N(0, 1/16), with beta_u and beta_a [Views·parents];
// query and key [16, Views·16], each weights and bias, of the attention softmax(q·k/√16).
type Comparison struct {
	Views     int
	Positions bool
	Routing   EMRouting
}

// Weights returns the assignment probabilities and the attention weights of the capsules below, both [batch, views,
// parents, children]. The first sum to 1 over views and parents, the second over children. Children are in the order
// of rows, columns and types, and so are parents.
func (c Comparison) Weights(scope *model.Scope, below Capsules) (assignments, attention *Node) {
	if c.Views < 1 {
		exceptions.Panicf("capsule: a comparison with %d views, want at least 1", c.Views)
	}
	height, width, types := below.grid()
	batch, children := below.Poses.Shape().Dim(0), height*width*types
	g, dtype := below.Poses.Graph(), below.Poses.DType()
	poses := Reshape(below.Poses, batch, children, Side, Side)
	coordinates := Reshape(Coordinates(g, dtype, height, width), height*width, 1, Side, Side)
	coordinates = Reshape(BroadcastToDims(coordinates, height*width, types, Side, Side), 1, children, Side, Side)

	parents := c.Views * children
	each := Reshape(transforms(scope, poses, c.Views, children), parents, Side, Side)
	votes := Einsum("birk,jkc->bijrc", poses, each)
	if c.Positions {
		votes = Add(votes, ExpandAxes(coordinates, 2))
	}
	votes = Reshape(votes, batch, children, parents, poseSize)
	betaU, betaA := betas(scope, votes, parents)
	routed := c.Routing.Route(votes, Reshape(below.Activations, batch, children), betaU, betaA)
	assignments = Reshape(Transpose(routed.Assignments, 1, 2), batch, c.Views, children, children)

	if c.Positions {
		poses = Add(poses, coordinates)
	}
	project := func(scope *model.Scope) *Node {
		x := synlayer.Dense(scope, Reshape(poses, batch, children, poseSize), 0, c.Views*poseSize)
		return Reshape(x, batch, children, c.Views, poseSize)
	}
	scores := Einsum("bqvh,bkvh->bvqk", project(scope.In("query")), project(scope.In("key")))
	return assignments, Softmax(DivScalar(scores, math.Sqrt(poseSize)), -1)
}
