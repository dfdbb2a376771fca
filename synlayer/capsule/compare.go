package capsule

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
)

// Compare has the layer and one of self-attention look at the same capsules, to put their weights side by side: the
// assignment probabilities of Route, [batch, classes, children], and attention weights [batch, heads, parents, children].
// Children are in the order of rows, columns and types. There are as many heads as classes, and each of either looks at
// the children through trained transforms of its own. They differ in
//
//   - the sums to 1. A child shares itself out among the parents of all classes together; a parent of attention shares
//     itself out among the children, in each head alone.
//   - the parents. A class has one, which knows nothing beforehand and is found by routing; a head has one for each
//     child, and knows it beforehand: it is that child.
//   - the transforms. Each pair of a child's type and a class has its own; a head has the same two for all children.
//   - the activations. Children that are not there are of no weight in the routing; attention does not know which are.
//   - the place of the positions, if Coordinates is set. The layer adds them last, to the votes; attention adds them
//     first, to the poses that it projects. So all children may move together, and assignments stay.
//
// Variables: those of the layer, so that one that was trained can be looked at in its scope ([Network.Route]), and
// attention/query and attention/key [16, Classes·16], each weights and bias, of softmax(q·k/√16).
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
