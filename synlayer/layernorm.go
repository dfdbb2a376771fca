package synlayer

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// layerNormEpsilon is PyTorch's default, which the published code keeps.
const layerNormEpsilon = 1e-5

// LayerNorm normalises the last axis of x to mean 0 and variance 1 (with 1e-5 added to the variance), then applies
// the variables "gain" [features], from 1, and "bias" [features], from 0, of scope (Ba, Kiros and Hinton 2016).
// With members > 0 the first axis of x is the members axis and each member has gain and bias of its own.
func LayerNorm(scope *model.Scope, x *Node, members int) *Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	features := dims[len(dims)-1]
	affine := make([]int, len(dims))
	for i := range affine {
		affine[i] = 1
	}
	if members > 0 {
		affine[0] = members
	}
	affine[len(dims)-1] = features
	gain := Variable(scope, g, x.DType(), "gain", Always(1), members, features)
	bias := Variable(scope, g, x.DType(), "bias", Always(0), members, features)
	x = Sub(x, spreadLast(DivScalar(sumLast(x), features), features))
	variance := DivScalar(sumLast(Square(x)), features)
	x = Mul(x, spreadLast(Reciprocal(Sqrt(AddScalar(variance, layerNormEpsilon))), features))
	return Add(Mul(x, Reshape(gain, affine...)), Reshape(bias, affine...))
}

// sumLast is the sum over the last axis, which it keeps, and spreadLast repeats a last axis of size 1. Both are products
// with ones, each the other's gradient: that is vector code on XLA's CPU, where a sum over the last axis is not.
func sumLast(x *Node) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	last := len(dims) - 1
	sum := MatMul(Reshape(x, -1, dims[last]), Ones(x.Graph(), shapes.Make(x.DType(), dims[last], 1)))
	dims[last] = 1
	return Reshape(sum, dims...)
}

func spreadLast(x *Node, size int) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	spread := MatMul(Reshape(x, -1, 1), Ones(x.Graph(), shapes.Make(x.DType(), 1, size)))
	dims[len(dims)-1] = size
	return Reshape(spread, dims...)
}
