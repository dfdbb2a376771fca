package batched

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// layerNormEpsilon is PyTorch's default, which the published code keeps.
const layerNormEpsilon = 1e-5

// LayerNorm is the LayerNorm of package synlayer.
func LayerNorm(scope *model.Scope, x *Node, members int) *Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	features := dims[len(dims)-1]
	gain := Variable(scope, g, x.DType(), "gain", Always(1), members, features)
	bias := Variable(scope, g, x.DType(), "bias", Always(0), members, features)
	x = Sub(x, spreadLast(DivScalar(SumLast(x), features), features))
	variance := DivScalar(SumLast(Square(x)), features)
	// The maximum changes no value: √ε is more than ε. It keeps XLA from using its special operation for 1/√x. The last bit
	// of that operation depends on the position in the array, so a member's result would depend on its place in a block.
	deviation := MaxScalar(Sqrt(AddScalar(variance, layerNormEpsilon)), layerNormEpsilon)
	x = Mul(x, spreadLast(Reciprocal(deviation), features))
	rows := Reshape(x, max(members, 1), -1, features)
	stacked := func(v *Node) *Node { return spreadRows(Reshape(v, max(members, 1), features), rows.Shape().Dim(1)) }
	return Reshape(Add(Mul(rows, stacked(gain)), stacked(bias)), dims...)
}

// Sums over the last axis or over the rows, and their gradients, which repeat values, are written as products with ones: XLA
// vectorises products on the CPU, but not sums.

// SumLast returns the sum over the last axis, which it keeps. It takes no scalar from GoMLX's cache (see [SynWith]).
func SumLast(x *Node) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	last := len(dims) - 1
	sum := MatMul(Reshape(x, -1, dims[last]), BroadcastToDims(ConstAs(x, 1.0), dims[last], 1))
	dims[last] = 1
	return Reshape(sum, dims...)
}

// spreadLast repeats a last axis of size 1.
func spreadLast(x *Node, size int) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	spread := MatMul(Reshape(x, -1, 1), Ones(x.Graph(), shapes.Make(x.DType(), 1, size)))
	dims[len(dims)-1] = size
	return Reshape(spread, dims...)
}

// sumRows returns the sum [members, features] over the rows of x [members, rows, features].
func sumRows(x *Node) *Node {
	ones := Ones(x.Graph(), shapes.Make(x.DType(), x.Shape().Dimensions[:2]...))
	return Einsum("mr,mrf->mf", ones, x)
}

// spreadRows repeats x [members, features] as rows [members, rows, features].
func spreadRows(x *Node, rows int) *Node {
	ones := Ones(x.Graph(), shapes.Make(x.DType(), x.Shape().Dim(0), rows))
	return Einsum("mr,mf->mrf", ones, x)
}
