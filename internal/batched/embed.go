package batched

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Embed computes the part of synlayer's network before the pooling: dropout of the instances (its rate is the number
// "dropout", [Number]), then the given number of dense layers of width features with ReLU. Sparse bags become dense ones.
func Embed(scope *model.Scope, bags Sparse, layers, width int, dropout float64) Bags {
	if bags.Columns != nil {
		bags.checkColumns()
		if layers == 0 {
			exceptions.Panicf("synlayer: Network of 0 layers on sparse bags, want 1 or more: poolings take dense instances")
		}
	}
	bags.Bags = bags.Padded()
	bags.X = dropInstances(scope, bags, dropout)
	for i := range layers {
		layer := scope.In("embedding_%d", i)
		var h *Node
		if bags.Columns != nil {
			h = SparseDense(layer, bags, width)
		} else {
			h = Dense(layer, bags.X, bags.Members(), width)
		}
		bags.X, bags.Columns = Relu(h), nil
	}
	return bags.Bags
}

// dropInstances returns the instances after the initial dropout of [Embed].
func dropInstances(scope *model.Scope, bags Sparse, dropout float64) *Node {
	if dropout <= 0 {
		return bags.X
	}
	rate, in := Number(scope, bags.X, "dropout", dropout), scope.In("dropout")
	if bags.Columns != nil {
		return SparseDropout(in, bags, rate)
	}
	return Dropout(in, bags.X, rate, bags.DropoutKey)
}

// Relu returns max(x, 0).
func Relu(x *Node) *Node { return Max(x, ScalarZero(x.Graph(), x.DType())) }

// Project is the first part of [Embed] with at least one layer, for dense bags without members. It returns the instances
// after dropout, and their product with the weights of the first layer, [batch, instances, width], without its bias. It can
// be applied to some rows of a bag ([DropoutFrom]); [Projected] does the rest.
func Project(scope *model.Scope, bags Bags, width int, dropout float64) (dropped, product *Node) {
	dropped = dropInstances(scope, Sparse{Bags: bags}, dropout)
	dims := bags.X.Shape().Dimensions
	w := Variable(scope.In("embedding_0"), bags.X.Graph(), bags.X.DType(), "weights", XavierUniform(dims[2], width), 0, dims[2], width)
	return dropped, Reshape(MatMul(Reshape(dropped, -1, dims[2]), w), dims[0], dims[1], width)
}

// Projected is the rest of [Embed] with the given number of layers after [Project]; the instances of bags are the products
// of Project.
func Projected(scope *model.Scope, bags Bags, layers int) Bags {
	bags = bags.Padded()
	width := bags.X.Shape().Dim(-1)
	b := Variable(scope.In("embedding_0"), bags.X.Graph(), bags.X.DType(), "bias", Always(0), 0, width)
	bags.X = Relu(Add(bags.X, Reshape(b, 1, 1, width)))
	for i := 1; i < layers; i++ {
		bags.X = Relu(Dense(scope.In("embedding_%d", i), bags.X, 0, width))
	}
	return bags
}

// Classify computes the part of the network after the pooling: a dense map of the pooled vectors [batch, features], or
// [members, batch, features], to the given number of outputs. A single output has no axis: [batch], or [members, batch].
func Classify(scope *model.Scope, pooled *Node, members, outputs int) *Node {
	return OneOutput(Dense(scope.In("classifier"), pooled, members, outputs))
}

// OneOutput removes the last axis of outputs if its size is 1.
func OneOutput(outputs *Node) *Node {
	dims := outputs.Shape().Dimensions
	if last := len(dims) - 1; dims[last] == 1 {
		return Reshape(outputs, dims[:last]...)
	}
	return outputs
}
