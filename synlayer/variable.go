package synlayer

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// Variable returns the value in g of the trainable variable called name in scope, and creates it if it does not exist. Its
// shape is [dims], or [numMembers, dims] if numMembers > 0. A pooling must get all its variables from Variable, [Dense] or
// [LayerNorm], so that it can be trained side by side with others.
//
// A new variable is filled by calling draw for each entry in turn. Its values depend only on its path and on GoMLX's
// [model.ParamInitialSeed], which is random if not set, but not on the other members or the backend. Member i uses the seed
// plus i. Variable panics if dtype is neither float32 nor float64, or if the variable exists in a different shape.
func Variable(scope *model.Scope, g *Graph, dtype dtypes.DType, name string, draw func(*rand.Rand) float64, numMembers int, dims ...int) *Node {
	return batched.Variable(scope, g, dtype, name, draw, numMembers, dims...)
}

// XavierUniform returns a draw function for [Variable] that samples initial weights from U(-a, a) with a =
// √(6/(fanIn+fanOut)) (Glorot and Bengio 2010).
func XavierUniform(fanIn, fanOut int) func(*rand.Rand) float64 {
	return batched.XavierUniform(fanIn, fanOut)
}
