package members

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Embed is what the network of package synlayer does before its pooling: dropout of the instances, a number named dropout
// ([Number]), then layers times a dense map to width features with ReLU. Sparse bags become dense ones.
func Embed(scope *model.Scope, bags Sparse, layers, width int, dropout float64) Bags {
	if bags.Columns != nil {
		bags.checkColumns()
		if layers == 0 {
			exceptions.Panicf("synlayer: Network of 0 layers on sparse bags, want 1 or more: poolings take dense instances")
		}
	}
	bags.Bags = bags.Padded()
	if dropout > 0 {
		rate, in := Number(scope, bags.X, "dropout", dropout), scope.In("dropout")
		if bags.Columns != nil {
			bags.X = SparseDropout(in, bags, rate)
		} else {
			bags.X = Dropout(in, bags.X, rate, bags.DropoutKey)
		}
	}
	for i := range layers {
		layer := scope.In("embedding_%d", i)
		var h *Node
		if bags.Columns != nil {
			h = SparseDense(layer, bags, width)
		} else {
			h = Dense(layer, bags.X, bags.Members(), width)
		}
		bags.X, bags.Columns = Max(h, ScalarZero(h.Graph(), h.DType())), nil
	}
	return bags.Bags
}

// Classify is what the network does after its pooling: a dense map of the pooled vectors [batch, features], or
// [members, batch, features], to a logit each.
func Classify(scope *model.Scope, pooled *Node, members int) *Node {
	logits := Dense(scope.In("classifier"), pooled, members, 1)
	dims := logits.Shape().Dimensions
	return Reshape(logits, dims[:len(dims)-1]...)
}
