package synlayer

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Bags is a batch of bags, padded to one number of instances.
//
// Bags of many features, of which each uses few, may be sparse: X then holds the features in use alone. A [Network] gives
// for them what it gives for the same bags in full, with the same variables.
type Bags struct {
	// X [batch, instances, features], or with a members axis in front; of sparse bags [..., instances, columns].
	X *Node
	// Mask [batch, instances], or with a members axis in front: true for a real instance. Nil where all are real.
	Mask *Node
	// DropoutKey is this step's key of the dropout, a scalar or [members] ([DropoutKey]); nil outside training.
	DropoutKey *Node

	// Columns int32 [batch, columns], or with a members axis in front: the feature that each column of a sparse bag
	// holds. No bag has a feature twice; from Features on, an index marks padding. Nil for dense bags.
	Columns *Node
	// Positions int32 [batch, Features], or with a members axis in front: the column of the bag that holds a feature; from
	// the number of columns on, none does. [Gradients] gathers by it what it would else scatter. May be nil.
	Positions *Node
	// Features of the instances of sparse bags, which are the rows of weights of a [SparseDense].
	Features int
	// Taken says that the weights bound for a [SparseDense] ([Bind]) have a row for each of Columns, in their order, and no others:
	// a trainer that takes one bag of a member at a time can hand over the rows that the bag uses.
	Taken bool
	// Numbered uint32, a scalar: the features that [SparseDropout] counts to an instance. Nil for Features. Sets that differ
	// a little in their features share one graph where Features is rounded up and Numbered says how many there are: the
	// same entries fall, and the rows in excess get no gradient.
	Numbered *Node
}

// Members returns the size of the members axis, 0 where there is none.
func (b Bags) Members() int {
	if b.X.Rank() == 4 {
		return b.X.Shape().Dimensions[0]
	}
	return 0
}

// clean is [Bags.padded] of bags that must be dense. Every Pool starts with it.
func (b Bags) clean() Bags {
	if b.Columns != nil {
		exceptions.Panicf("synlayer: pooling of sparse bags, want dense ones, as a Network with a layer before its pooling makes them")
	}
	return b.padded()
}

// padded checks the shapes of b, makes the mask explicit and sets whatever stands in padding to 0.
func (b Bags) padded() Bags {
	checkRank(b.X)
	if b.Columns != nil {
		b.checkColumns()
	}
	dims := b.X.Shape().Dimensions[:b.X.Rank()-1]
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

// checkRank panics unless x is [batch, instances, features] or has a members axis in front.
func checkRank(x *Node) {
	if rank := x.Rank(); rank != 3 && rank != 4 {
		exceptions.Panicf("synlayer: x is %s, want [batch, instances, features] or [members, batch, instances, features]", x.Shape())
	}
}

// checkColumns panics unless columns and positions fit x and each other.
func (b Bags) checkColumns() {
	rank, dims := b.X.Rank(), b.X.Shape().Dimensions
	bags, columns := dims[:rank-2], dims[rank-1]
	check := func(what string, x *Node, last int) {
		want := shapes.Make(dtypes.Int32, append(append([]int{}, bags...), last)...)
		if x == nil {
			exceptions.Panicf("synlayer: %s of sparse bags are missing, want %s", what, want)
		}
		if !x.Shape().Equal(want) {
			exceptions.Panicf("synlayer: %s of sparse bags are %s, want %s", what, x.Shape(), want)
		}
	}
	if columns < 1 || b.Features < 1 {
		exceptions.Panicf("synlayer: sparse bags with %d columns of %d features, want 1 or more of each", columns, b.Features)
	}
	if n := b.Numbered; n != nil && (n.DType() != dtypes.Uint32 || !n.IsScalar()) {
		exceptions.Panicf("synlayer: Numbered of sparse bags is %s, want a scalar uint32", n.Shape())
	}
	check("columns", b.Columns, columns)
	if b.Positions != nil {
		check("positions", b.Positions, b.Features)
	}
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
