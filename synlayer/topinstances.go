package synlayer

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// topInstances marks, in each row of values [batch, heads, instances], the k real instances with the largest values; the
// first wins ties. mask [batch, instances] is true for real instances. At most ⌊n/share⌋ of the n real instances of a bag
// are marked.
//
// It takes k maxima in turn: k is small, and sorting long rows is slower.
func topInstances(values, mask *Node, k, share int) *Node {
	g, dims := values.Graph(), values.Shape().Dimensions
	last := dims[len(dims)-1]
	real := batched.MaskLike(mask, values, -2)
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
