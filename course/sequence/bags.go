package sequence

import (
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// clean checks the shapes of bags, makes the mask explicit and sets padding to 0.
func clean(s synlayer.Bags) synlayer.Bags {
	rank := s.X.Rank()
	if rank != 3 && rank != 4 {
		exceptions.Panicf("sequence: x is %s, want [batch, length, features] or [members, batch, length, features]", s.X.Shape())
	}
	dims := s.X.Shape().Dimensions[:rank-1]
	if slices.Min(dims) < 1 {
		exceptions.Panicf("sequence: x is %s, want a length of 1 or more: an empty sequence is one of padding", s.X.Shape())
	}
	s.X, s.Mask = masked(s.X, s.Mask)
	return s
}

// single is clean for bags without a members axis.
func single(s synlayer.Bags) synlayer.Bags {
	if s.X.Rank() != 3 {
		exceptions.Panicf("sequence: x is %s, want [batch, length, features]", s.X.Shape())
	}
	return clean(s)
}

// masked returns x [..., features] with 0 where mask [...] is false, and the explicit mask; nil means all true.
func masked(x, mask *Node) (cleaned, explicit *Node) {
	explicit = explicitMask(mask, x.Graph(), x.Shape().Dimensions[:x.Rank()-1])
	if mask == nil {
		return x, explicit
	}
	return zeroUnless(mask, x), explicit
}

// explicitMask returns mask [dims], or an all-true mask if it is nil.
func explicitMask(mask *Node, g *Graph, dims []int) *Node {
	if mask == nil {
		return BroadcastToDims(Const(g, true), dims...)
	}
	if mask.DType() != dtypes.Bool {
		exceptions.Panicf("sequence: mask is %s, want booleans", mask.Shape())
	}
	mask.AssertDims(dims...)
	return mask
}

// zeroUnless returns x where mask is true and 0 elsewhere; the axes of mask are the first axes of x.
func zeroUnless(mask, x *Node) *Node { return Where(mask, x, zeros(x, x.Shape().Dimensions...)) }
