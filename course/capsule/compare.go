package capsule

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
)

// Compare applies the layer and self-attention to the same capsules and returns the weights of both: the assignment
// probabilities of Route, [batch, classes, children], and attention weights [batch, heads, parents, children]. Children are
// ordered by row, column and type. There are as many heads as classes; each head and each class has its own trained
// transforms. They differ in
//
//   - what sums to 1. A child divides its assignment among the parents of all classes; in attention, a parent divides its
//     weight among the children, separately in each head.
//   - the parents. A class has one parent, which is found by routing. A head has one parent for each child, and it is known
//     in advance: it is that child.
//   - the transforms. Each pair of a child's type and a class has its own; a head has the same two for all children.
//   - the activations. Inactive children have no weight in the routing; attention does not use activations.
//   - where positions enter, if Coordinates is set. The layer adds them last, to the votes; attention adds them first, to
//     the poses that it projects. So if all children move together, the assignments stay the same.
//
// Variables: those of the layer, so a trained layer can be compared in its own scope ([Network.Route]), and attention/query
// and attention/key [16, Classes·16], each with weights and bias, of softmax(q·k/√16).
func (c Class) Compare(scope *model.Scope, below Capsules) (assignments, attention *Node) {
	_, assignments = c.Route(scope, below)
	height, width, types := below.grid()
	batch, children := below.Poses.Shape().Dim(0), height*width*types
	assignments = Reshape(assignments, batch, c.Classes, children)

	poses := Reshape(below.Poses, batch, height*width, types, Side, Side)
	if c.Coordinates {
		at := Coordinates(poses.Graph(), poses.DType(), height, width)
		poses = Add(poses, Reshape(at, 1, height*width, 1, Side, Side))
	}
	poses = Reshape(poses, batch, children, poseSize)
	project := func(scope *model.Scope) *Node {
		return Reshape(synlayer.Dense(scope, poses, 0, c.Classes*poseSize), batch, children, c.Classes, poseSize)
	}
	scope = scope.In("attention")
	scores := Einsum("bqvh,bkvh->bvqk", project(scope.In("query")), project(scope.In("key")))
	return assignments, Softmax(DivScalar(scores, math.Sqrt(poseSize)), -1)
}
