package synlayer

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/members"
)

// Variable returns the value in g of the trainable variable name of scope, which it makes if it is not there yet: [dims],
// or with numMembers > 0 members [numMembers, dims]. A pooling gets all its variables here or from [Dense] and [LayerNorm], so that it
// can be trained side by side with others.
//
// A new variable holds what draw gives for each entry in turn. Its values depend on GoMLX's [model.ParamInitialSeed], which
// is random where it is not set, and on its path alone: neither on the other members nor on the backend. Member i has the
// seed plus i. Variable panics if dtype is neither float32 nor float64, and if the variable is there in another shape.
func Variable(scope *model.Scope, g *Graph, dtype dtypes.DType, name string, draw func(*rand.Rand) float64, numMembers int, dims ...int) *Node {
	return members.Variable(scope, g, dtype, name, draw, numMembers, dims...)
}

// XavierUniform returns a draw of initial weights for [Variable], from U(-a, a) with a = √(6/(fanIn+fanOut)) (Glorot and
// Bengio 2010).
func XavierUniform(fanIn, fanOut int) func(*rand.Rand) float64 {
	return members.XavierUniform(fanIn, fanOut)
}
