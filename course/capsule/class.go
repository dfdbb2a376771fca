package capsule

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Class is the last layer: one capsule per class, which is a parent of every capsule below. Each pair of a child's type and
// a class has one transform, the same at every position; coordinates are added to the votes to keep the position.
//
// Variables: transforms [types below, Classes, 4, 4], drawn from N(0, 1/16); beta_u and beta_a [Classes], from 0.
type Class struct {
	Classes     int
	Coordinates bool // coordinate addition, true in the paper
	Routing     EMRouting
}

// Route implements [Layer]; the grid above is 1x1: poses [batch, 1, 1, classes, 4, 4], activations [batch, 1, 1, classes]
// and assignments [batch, 1, 1, classes, height below, width below, types below].
func (c Class) Route(scope *model.Scope, below Capsules) (above Capsules, assignments *Node) {
	height, width, types := below.grid()
	batch := below.Poses.Shape().Dim(0)
	poses := Reshape(below.Poses, batch, height*width, types, Side, Side)
	votes := Einsum("bnirk,ijkc->bjnirc", poses, transforms(scope, poses, types, c.Classes))
	if c.Coordinates {
		at := coordinates(votes.Graph(), votes.DType(), height, width)
		votes = Add(votes, Reshape(at, 1, 1, height*width, 1, Side, Side))
	}
	votes = Reshape(votes, batch, 1, c.Classes, height*width*types, poseSize)
	betaU, betaA := betas(scope, votes, c.Classes)
	r := c.Routing.route(votes, Reshape(below.Activations, batch, 1, -1), betaU, betaA, overTypes)
	return Capsules{
		Poses:       Reshape(r.poses, batch, 1, 1, c.Classes, Side, Side),
		Activations: Reshape(r.activations, batch, 1, 1, c.Classes),
	}, Reshape(r.assignments, batch, 1, 1, c.Classes, height, width, types)
}
