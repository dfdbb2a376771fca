package synlayer

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// MeanPooling is the mean of the instances; the weights are 1/n. An empty bag gives 0. It has no variables.
//
// With Hidden, a dense layer with ReLU follows: pooled = max(0, W mean + b). In a [Network] with Layers 0 that is SiMLP, a multilayer
// perceptron on the mean of a bag (arXiv 2502.20823). Its variables are hidden [features, Hidden] (weights, bias).
type MeanPooling struct {
	Hidden int // number of pooled features; 0 for the mean itself
}

var _ Pooling = MeanPooling{}

// Validate reports the first invalid hyperparameter.
func (p MeanPooling) Validate() error {
	if p.Hidden < 0 {
		return fmt.Errorf("synlayer: MeanPooling with %d hidden features, want 0 or more", p.Hidden)
	}
	return nil
}

// Pool implements [Pooling], with one head. It panics with the error of Validate.
func (p MeanPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	weights = realInstances(bags)
	weights = Div(weights, batched.OneIfZero(ReduceAndKeep(weights, ReduceSum, -1)))
	pooled = weightedSum(weights, bags.X)
	if p.Hidden > 0 {
		pooled = batched.Relu(Dense(scope.In("hidden"), pooled, bags.Members(), p.Hidden))
	}
	return pooled, weights
}

// realInstances returns weights [batch, 1, instances] of 1 for real instances and 0 for padding.
func realInstances(bags Bags) *Node {
	return ExpandAxes(ConvertDType(bags.Mask, bags.X.DType()), -2)
}
