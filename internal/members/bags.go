package members

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Bags is the Bags of package synlayer, field by field.
type Bags struct {
	X          *Node
	Mask       *Node
	DropoutKey *Node
}

// Sparse is a batch of bags of many features, of which each uses few: X [batch, instances, columns], or with a members axis
// in front, holds the features in use alone. Without Columns it is dense bags.
type Sparse struct {
	Bags

	// Columns int32 [batch, columns], or with a members axis in front: the feature that each column holds. No bag has a
	// feature twice; from Features on, an index marks padding. Nil for dense bags.
	Columns *Node
	// Positions int32 [batch, Features], or with a members axis in front: the column of the bag that holds a feature; from
	// the number of columns on, none does. [Gradients] gathers by it what it would else scatter. May be nil.
	Positions *Node
	// Features of the instances, which are the rows of weights of a [SparseDense].
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

// Padded checks the shapes of b, makes the mask explicit and sets whatever stands in padding to 0.
func (b Bags) Padded() Bags {
	checkRank(b.X)
	dims := b.X.Shape().Dimensions[:b.X.Rank()-1]
	if b.Mask == nil {
		b.Mask = BroadcastToDims(Const(b.X.Graph(), true), dims...)
		return b
	}
	if b.Mask.DType() != dtypes.Bool {
		exceptions.Panicf("synlayer: mask is %s, want booleans", b.Mask.Shape())
	}
	b.Mask.AssertDims(dims...)
	b.X = ZeroUnless(b.Mask, b.X, -1)
	return b
}

// checkRank panics unless x is [batch, instances, features] or has a members axis in front.
func checkRank(x *Node) {
	if rank := x.Rank(); rank != 3 && rank != 4 {
		exceptions.Panicf("synlayer: x is %s, want [batch, instances, features] or [members, batch, instances, features]", x.Shape())
	}
}

// checkColumns panics unless columns and positions fit x and each other.
func (b Sparse) checkColumns() {
	checkRank(b.X)
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

// ZeroUnless returns x where mask is true and 0 elsewhere; axis is the axis of x that mask lacks.
func ZeroUnless(mask, x *Node, axis int) *Node {
	return Where(MaskLike(mask, x, axis), x, ZerosLike(x))
}

// MaskLike broadcasts mask to the shape of x; axis is the axis of x that mask lacks.
func MaskLike(mask, x *Node, axis int) *Node {
	return BroadcastToDims(ExpandAxes(mask, axis), x.Shape().Dimensions...)
}
