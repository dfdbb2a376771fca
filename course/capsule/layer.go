package capsule

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// Layer routes the capsules of one layer to the next. It returns the capsules above and the assignment probabilities [batch,
// height, width, types, rows, columns, types below]: which share of the child at a row and column of the parent's field is
// assigned to the parent. For each child they sum to 1 over all parents that have it in their field.
type Layer interface {
	Route(scope *model.Scope, below Capsules) (above Capsules, assignments *Node)
}

var (
	_ Layer = Convolutional{}
	_ Layer = Class{}
)

// transforms returns the variable "transforms" [children, parents, 4, 4].
func transforms(scope *model.Scope, poses *Node, children, parents int) *Node {
	if parents < 1 {
		exceptions.Panicf("capsule: %d types of capsules above poses %s, want at least 1", parents, poses.Shape())
	}
	draw := func(rng *rand.Rand) float64 { return rng.NormFloat64() / 4 }
	return synlayer.Variable(scope, poses.Graph(), poses.DType(), "transforms", draw, 0, children, parents, Side, Side)
}

// betas returns the variables "beta_u" and "beta_a" [types].
func betas(scope *model.Scope, votes *Node, types int) (betaU, betaA *Node) {
	of := func(name string) *Node {
		return synlayer.Variable(scope, votes.Graph(), votes.DType(), name, batched.Always(0), 0, types)
	}
	return of("beta_u"), of("beta_a")
}
