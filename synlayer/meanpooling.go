package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// MeanPooling is the mean of the instances; the weights are 1/n. An empty bag gives 0. It has no variables.
type MeanPooling struct{}

var _ Pooling = MeanPooling{}

// Pool implements [Pooling], with one head.
func (MeanPooling) Pool(_ *model.Scope, bags Bags) (pooled, weights *Node) {
	bags = bags.clean()
	weights = realInstances(bags)
	weights = Div(weights, batched.OneIfZero(ReduceAndKeep(weights, ReduceSum, -1)))
	return weightedSum(weights, bags.X), weights
}

// realInstances returns weights [batch, 1, instances] of 1 for real instances and 0 for padding.
func realInstances(bags Bags) *Node {
	return ExpandAxes(ConvertDType(bags.Mask, bags.X.DType()), -2)
}
