package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Pooling turns a bag of instances into one vector.
//
// An implementation is a struct of its hyperparameters. Package syntest has the laws that it must keep; [Dense],
// [LayerNorm] and [Dropout] keep them for any number of members.
type Pooling interface {
	// Pool returns the pooled vectors [batch, features] and the weights [batch, heads, instances] that made them,
	// creating its variables in scope or using those that are there. With a members axis in front of bags.X, both
	// results have it too. The number of pooled features is the pooling's own affair.
	Pool(scope *model.Scope, bags Bags) (pooled, weights *Node)
}

// Numbered is a Pooling with hyperparameters that are only numbers: they can enter the graph as nodes, so that one
// compiled graph serves every setting that differs in nothing else, and each of several members has its own.
type Numbered interface {
	Pooling
	// Numbers returns their values, in the order in which PoolNumbers takes them.
	Numbers() []float64
	// Structure returns the pooling without its numbers: two poolings build the same graph, and the same
	// variables, exactly if their structures are equal.
	Structure() Pooling
	// PoolNumbers is Pool with the numbers given as nodes, each scalar or [members].
	PoolNumbers(scope *model.Scope, bags Bags, numbers []*Node) (pooled, weights *Node)
}

// constants turns numbers into constants of g in x's dtype.
func constants(x *Node, numbers []float64) []*Node {
	nodes := make([]*Node, len(numbers))
	for i, v := range numbers {
		nodes[i] = ConstAs(x, v)
	}
	return nodes
}
