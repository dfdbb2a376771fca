package capsule

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Convolutional is a layer of capsules on patches of the grid below. Each combination of a child's place in the patch, its
// type and the parent's type has its own transform, the same at every position. Patches may overlap: a child is divided
// among the parents of all types at all positions that see it. Capsules at an edge that no patch reaches are ignored.
//
// Variables: transforms [Kernel·Kernel·types below, Types, 4, 4], drawn from N(0, 1/16); beta_u and beta_a [Types],
// initially 0.
type Convolutional struct {
	Types   int // 32 in the paper
	Kernel  int // rows and columns of a patch, 3 in the paper
	Stride  int // distance between patches, 2 and then 1 in the paper
	Routing EMRouting
}

// Route implements [Layer].
func (c Convolutional) Route(scope *model.Scope, below Capsules) (above Capsules, assignments *Node) {
	f := newField(below, c.Kernel, c.Stride)
	height, width := f.above()
	batch := below.Poses.Shape().Dim(0)
	transforms := transforms(scope, below.Poses, f.children(), c.Types)
	votes := Einsum("bpirk,ijkc->bpjirc", f.patches(below.Poses), transforms)
	votes = Reshape(votes, batch, f.positions(), c.Types, f.children(), poseSize)
	betaU, betaA := betas(scope, votes, c.Types)
	r := c.Routing.route(votes, f.patches(below.Activations), betaU, betaA, f.compete)
	return Capsules{
		Poses:       Reshape(r.poses, batch, height, width, c.Types, Side, Side),
		Activations: Reshape(r.activations, batch, height, width, c.Types),
	}, Reshape(r.assignments, batch, height, width, c.Types, c.Kernel, c.Kernel, f.types)
}
