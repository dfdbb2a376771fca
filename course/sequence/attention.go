package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/synlayer"
)

// weigh returns the adjusted softmax of logits [..., items] over the items where mask, of the same shape, is true. The
// others get 0; if none is true, all get 0.
func weigh(logits, mask *Node, adjust Adjustment) *Node {
	dims := logits.Shape().Dimensions
	items := dims[len(dims)-1]
	weights := synlayer.BagSoftmax(Reshape(logits, -1, 1, items), Reshape(mask, -1, items))
	return adjust.Adjust(Reshape(weights, dims...))
}

// gather returns the sums of values [..., items, features], weighted by weights [..., items].
func gather(weights, values *Node) *Node {
	dims := values.Shape().Dimensions
	rank := len(dims)
	sums := MatMul(Reshape(weights, -1, 1, dims[rank-2]), Reshape(values, -1, dims[rank-2], dims[rank-1]))
	return Reshape(sums, append(append([]int{}, dims[:rank-2]...), dims[rank-1])...)
}
