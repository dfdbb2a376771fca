package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// MaxPooling takes the maximum of each feature over the instances. An empty bag gives 0. It has no variables.
//
// The weight of an instance is the share of the features where it has the maximum; tied instances divide a feature, and its
// gradient, evenly.
type MaxPooling struct{}

var _ Pooling = MaxPooling{}

// Pool implements [Pooling], with one head.
func (MaxPooling) Pool(_ *model.Scope, bags Bags) (pooled, weights *Node) {
	bags = bags.clean()
	real := batched.MaskLike(bags.Mask, bags.X, -1)
	lowest := Infinity(bags.X.Graph(), bags.X.DType(), -1)
	largest := StopGradient(ReduceAndKeep(Where(real, bags.X, lowest), ReduceMax, -2))
	holds := batched.ZeroUnless(bags.Mask, ConvertDType(Equal(bags.X, largest), bags.X.DType()), -1)
	share := Div(holds, batched.OneIfZero(ReduceAndKeep(holds, ReduceSum, -2)))
	return ReduceSum(Mul(share, bags.X), -2), perInstance(share)
}

// perInstance averages share [batch, instances, features] over the features, which gives weights [batch, 1, instances].
func perInstance(share *Node) *Node {
	return ExpandAxes(ReduceMean(share, -1), -2)
}
