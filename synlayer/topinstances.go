package synlayer

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/members"
)

// topInstances marks the k instances with the largest of values [batch, heads, instances] in each row, of those that mask [batch,
// instances] marks as real; of equal ones the first. A bag of n real instances has at most ⌊n/share⌋ of them marked.
//
// It takes k maxima, one after another: k is small, and a sort of long rows takes longer.
func topInstances(values, mask *Node, k, share int) *Node {
	g, dims := values.Graph(), values.Shape().Dimensions
	last := dims[len(dims)-1]
	real := members.MaskLike(mask, values, -2)
	lowest := Infinity(g, values.DType(), -1)
	position := Iota(g, shapes.Make(dtypes.Int32, dims...), len(dims)-1)
	none := BroadcastToDims(Const(g, int32(last)), dims...)
	count := ReduceAndKeep(ConvertDType(real, dtypes.Int32), ReduceSum, -1)
	values, left := StopGradient(values), real
	for i := range min(k, last/share) {
		largest := ReduceAndKeep(Where(left, values, BroadcastToDims(lowest, dims...)), ReduceMax, -1)
		equal := And(left, Equal(values, largest))
		first := ReduceAndKeep(Where(equal, position, none), ReduceMin, -1)
		enough := GreaterOrEqual(count, Const(g, int32(share*(i+1))))
		here := And(And(equal, Equal(position, first)), BroadcastToDims(enough, dims...))
		left = And(left, Not(here))
	}
	return And(real, Not(left))
}
