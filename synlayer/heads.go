package synlayer

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// trainableQuery returns the variable "query" of scope with one row: [1, features], or [members, 1, features].
func trainableQuery(scope *model.Scope, x *Node, numMembers int) *Node {
	features := x.Shape().Dim(-1)
	q := Variable(scope, x.Graph(), x.DType(), "query", XavierUniform(features, 1), numMembers, features)
	return ExpandAxes(q, -2)
}

// checkHeads reports a number of heads that does not divide embed.
func checkHeads(of string, heads, embed int) error {
	if heads < 1 || embed < 1 || embed%heads != 0 {
		return fmt.Errorf("synlayer: %s with %d heads, which do not divide an embedding of %d", of, heads, embed)
	}
	return nil
}

// splitHeads splits the last axis into two: heads, and the features of each.
func splitHeads(x *Node, heads int) *Node {
	dims := x.Shape().Dimensions
	embed := dims[len(dims)-1]
	if err := checkHeads("a layer", heads, embed); err != nil {
		exceptions.Panicf("%v", err)
	}
	return Reshape(x, append(append([]int{}, dims[:len(dims)-1]...), heads, embed/heads)...)
}

// scores returns, for each head, the products [batch, heads, instances] of keys [batch, instances, embed] with query
// [queries, embed], which has one row for all bags or one per bag. Either all have a members axis or none.
func scores(query, keys *Node, heads int) *Node {
	q := splitHeads(query, heads)
	q = ExpandAxes(q, -3) // [queries, 1, heads, head size]
	products := ReduceSum(Mul(splitHeads(keys, heads), q), -1)
	return swapLast(products)
}

// weightedSum returns the sums [batch, embed] of values [batch, instances, embed], weighted by weights [batch, heads,
// instances], with the heads concatenated.
func weightedSum(weights, values *Node) *Node {
	heads := weights.Shape().Dim(-2)
	v := splitHeads(values, heads) // [batch, instances, heads, head size]
	sums := ReduceSum(Mul(ExpandAxes(swapLast(weights), -1), v), -3)
	dims := sums.Shape().Dimensions
	return Reshape(sums, append(append([]int{}, dims[:len(dims)-2]...), -1)...)
}

// dropoutWeights is [Dropout] of weights [batch, heads, instances].
func dropoutWeights(scope *model.Scope, weights, rate, key *Node) *Node {
	return swapLast(Dropout(scope, swapLast(weights), rate, key))
}

// swapLast exchanges the last two axes.
func swapLast(x *Node) *Node { return Transpose(x, -1, -2) }
