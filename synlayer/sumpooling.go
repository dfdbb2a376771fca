package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// SumPooling is the sum of the instances (Deep Sets, Zaheer et al. 2017); the weights are 1. An empty bag gives 0.
// It has no variables.
type SumPooling struct{}

var _ Pooling = SumPooling{}

// Pool implements [Pooling], with one head.
func (SumPooling) Pool(_ *model.Scope, bags Bags) (pooled, weights *Node) {
	bags = bags.clean()
	return ReduceSum(bags.X, -2), realInstances(bags)
}
