package batched

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

// Sparse is a batch of bags with many features, few of them used by each bag. X [batch, instances, columns], with an
// optional leading members axis, holds only the features in use. Without Columns the bags are dense.
type Sparse struct {
	Bags

	// Columns int32 [batch, columns], with an optional leading members axis, has the feature of each column. No feature
	// occurs twice in a bag; an index of Features or more marks padding. Nil for dense bags.
	Columns *Node
	// Positions int32 [batch, Features], with an optional leading members axis, has the column of each feature in the bag; a
	// value of the number of columns or more means none. With it, [Gradients] gathers instead of scattering. May be nil.
	Positions *Node
	// Features is the number of features of the instances, which is the number of rows of weights of a [SparseDense].
	Features int
	// Taken says that the weights bound for a [SparseDense] ([Bind]) have exactly one row for each of Columns, in the same
	// order: a trainer that processes one bag per member at a time can pass only the rows that the bag uses.
	Taken bool
	// Numbered, a scalar uint32, is the number of features per instance for [SparseDropout]; nil means Features. Sets with
	// slightly different numbers of features can share one graph if Features is rounded up and Numbered is the true number:
	// the same entries are dropped, and the excess rows get no gradient.
	Numbered *Node
}

// Members returns the size of the members axis, or 0 if there is none.
func (b Bags) Members() int {
	if b.X.Rank() == 4 {
		return b.X.Shape().Dimensions[0]
	}
	return 0
}

// Padded checks the shapes of b, makes the mask explicit and sets padding to 0.
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

// checkRank panics unless x is [batch, instances, features], with an optional leading members axis.
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

// MaskLike returns mask in the shape of x; axis is the axis of x that mask lacks. It compares instead of broadcasting: GoMLX's Go
// backend broadcasts a condition of [Where] itself, element by element where it lacks the last axis, which took a third of a
// training's time.
func MaskLike(mask, x *Node, axis int) *Node {
	g, shape := x.Graph(), x.Shape()
	end := Mul(ConvertDType(mask, dtypes.Int32), Const(g, int32(shape.Dim(axis))))
	return LessThan(Iota(g, shapes.Make(dtypes.Int32, shape.Dimensions...), axis), ExpandAxes(end, axis))
}
