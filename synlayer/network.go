package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Network is the paper's network (figure 5) around any pooling: dropout of the instances, Layers times a dense map to
// Width features with ReLU, the pooling, and a dense map of the pooled vector to one logit.
//
// Variables, by path below the scope: embedding_0, embedding_1, ... and classifier (weights, bias), and those of the
// pooling below pooling.
//
// The published network ends in a sigmoid and its loss clamps the probability to [1e-5, 1-1e-5], which stops the
// gradient of a bag that is wrong beyond a logit of 11.5. Train on the logits instead: elsewhere the loss is the same.
type Network struct {
	Layers  int // L
	Width   int // D
	Dropout float64
	Pooling Pooling
}

// DefaultNetwork returns the network of the published code around pooling: L = 1, D = 256, dropout 0.75.
func DefaultNetwork(pooling Pooling) Network {
	return Network{Layers: 1, Width: 256, Dropout: 0.75, Pooling: pooling}
}

// Numbers returns the dropout rate and, after it, those of a [Numbered] pooling.
func (n Network) Numbers() []float64 {
	numbers := []float64{n.Dropout}
	if p, ok := n.Pooling.(Numbered); ok {
		numbers = append(numbers, p.Numbers()...)
	}
	return numbers
}

// Structure returns the network without its numbers: two networks build the same graph, and the same variables, if
// their structures are equal.
func (n Network) Structure() Network {
	if n.Dropout > 0 {
		n.Dropout = 1
	}
	if p, ok := n.Pooling.(Numbered); ok {
		n.Pooling = p.Structure()
	}
	return n
}

// Validate reports a dropout that makes no sense, and what a [Validated] pooling reports.
func (n Network) Validate() error {
	if err := checkDropout("Network", n.Dropout); err != nil {
		return err
	}
	if p, ok := n.Pooling.(Validated); ok {
		return p.Validate()
	}
	return nil
}

// Logits returns the logit [batch] of each bag being positive and the pooling's weights [batch, heads, instances].
func (n Network) Logits(scope *model.Scope, bags Bags) (logits, weights *Node) {
	mustBe(n)
	return n.LogitsNumbers(scope, bags, constants(bags.X, n.Numbers()))
}

// LogitsNumbers is [Network.Logits] with the numbers given as nodes, each scalar or [members], in the order of
// [Network.Numbers].
func (n Network) LogitsNumbers(scope *model.Scope, bags Bags, numbers []*Node) (logits, weights *Node) {
	pooled, weights := n.PoolNumbers(scope, bags, numbers)
	logits = Dense(scope.In("classifier"), pooled, bags.Members(), 1)
	dims := logits.Shape().Dimensions
	return Reshape(logits, dims[:len(dims)-1]...), weights
}

// PoolNumbers returns the pooled vector [batch, features] of each bag, which the last dense map takes, and the pooling's
// weights [batch, heads, instances]; numbers are those of [Network.LogitsNumbers].
func (n Network) PoolNumbers(scope *model.Scope, bags Bags, numbers []*Node) (pooled, weights *Node) {
	bags = bags.padded()
	if bags.Columns != nil && n.Layers == 0 {
		exceptions.Panicf("synlayer: Network of 0 layers on sparse bags, want 1 or more: poolings take dense instances")
	}
	members := bags.Members()
	switch {
	case n.Dropout > 0 && bags.Columns != nil:
		bags.X = SparseDropout(scope.In("dropout"), bags, numbers[0])
	case n.Dropout > 0:
		bags.X = Dropout(scope.In("dropout"), bags.X, numbers[0], bags.DropoutKey)
	}
	for i := range n.Layers {
		layer := scope.In("embedding_%d", i)
		var h *Node
		if bags.Columns != nil {
			h = SparseDense(layer, bags, n.Width)
		} else {
			h = Dense(layer, bags.X, members, n.Width)
		}
		bags = Bags{X: Max(h, ScalarZero(h.Graph(), h.DType())), Mask: bags.Mask, DropoutKey: bags.DropoutKey}
	}
	if p, ok := n.Pooling.(Numbered); ok {
		return p.PoolNumbers(scope.In("pooling"), bags, numbers[1:])
	}
	return n.Pooling.Pool(scope.In("pooling"), bags)
}
