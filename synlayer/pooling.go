package synlayer

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
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
	// variables, if their structures are equal.
	Structure() Pooling
	// PoolNumbers is Pool with the numbers given as nodes, each scalar or [members].
	PoolNumbers(scope *model.Scope, bags Bags, numbers []*Node) (pooled, weights *Node)
}

// Validated is a Pooling that can tell whether its hyperparameters make sense, without a graph. [Network.Logits] and package
// neural ask it where they hand the numbers of a [Numbered] pooling over by themselves.
type Validated interface {
	Pooling
	// Validate reports the first hyperparameter that makes no sense. Pool panics with it.
	Validate() error
}

// mustBe panics with what Validate reports.
func mustBe(valid interface{ Validate() error }) {
	if err := valid.Validate(); err != nil {
		exceptions.Panicf("%v", err)
	}
}

// checkPositive reports a number that is not above 0 and finite.
func checkPositive(of, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("synlayer: %s with %s %g, want a finite number above 0", of, name, v)
	}
	return nil
}

// constants turns numbers into constants of g in x's dtype.
func constants(x *Node, numbers []float64) []*Node {
	nodes := make([]*Node, len(numbers))
	for i, v := range numbers {
		nodes[i] = ConstAs(x, v)
	}
	return nodes
}
