package synlayer

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Bags is a batch of bags, padded to one number of instances.
type Bags struct {
	// X [batch, instances, features], or with a members axis in front.
	X *Node
	// Mask [batch, instances], or with a members axis in front: true for a real instance. Nil where all are real.
	Mask *Node
	// DropoutKey is this step's key of the dropout, a scalar or [members] ([DropoutKey]); nil outside training.
	DropoutKey *Node
}

// Members returns the size of the members axis, 0 where there is none.
func (b Bags) Members() int {
	if b.X.Rank() == 4 {
		return b.X.Shape().Dimensions[0]
	}
	return 0
}

// clean checks the shapes of b, makes the mask explicit and sets whatever stands in padding to 0.
// Every Pool starts with it.
func (b Bags) clean() Bags {
	rank := b.X.Rank()
	if rank != 3 && rank != 4 {
		exceptions.Panicf("synlayer: x is %s, want [batch, instances, features] or [members, batch, instances, features]", b.X.Shape())
	}
	dims := b.X.Shape().Dimensions[:rank-1]
	if b.Mask == nil {
		b.Mask = BroadcastToDims(Const(b.X.Graph(), true), dims...)
		return b
	}
	if b.Mask.DType() != dtypes.Bool {
		exceptions.Panicf("synlayer: mask is %s, want booleans", b.Mask.Shape())
	}
	b.Mask.AssertDims(dims...)
	b.X = zeroUnless(b.Mask, b.X, -1)
	return b
}

// zeroUnless returns x where mask is true and 0 elsewhere; axis is the axis of x that mask lacks.
func zeroUnless(mask, x *Node, axis int) *Node {
	return Where(maskLike(mask, x, axis), x, ZerosLike(x))
}

// maskLike broadcasts mask to the shape of x; axis is the axis of x that mask lacks.
func maskLike(mask, x *Node, axis int) *Node {
	return BroadcastToDims(ExpandAxes(mask, axis), x.Shape().Dimensions...)
}

// number gives a hyperparameter, a scalar or [members], the rank of x, so that it broadcasts along x's members axis.
func number(n, x *Node) *Node {
	n = ConvertDType(n, x.DType())
	if n.IsScalar() {
		return n
	}
	n.AssertDims(x.Shape().Dimensions[0])
	dims := make([]int, x.Rank())
	for i := range dims {
		dims[i] = 1
	}
	dims[0] = n.Shape().Dimensions[0]
	return Reshape(n, dims...)
}
