package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Dense is the affine map xW + b of the last axis of x to width features, with the variables "weights"
// [features, width], drawn Xavier uniform, and "bias" [width], from 0, in scope. With members > 0 the first axis of
// x is the members axis and each member has weights of its own; with members = 0 there is none.
func Dense(scope *model.Scope, x *Node, members, width int) *Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	features := dims[len(dims)-1]
	w := Variable(scope, g, x.DType(), "weights", XavierUniform(features, width), members, features, width)
	b := Variable(scope, g, x.DType(), "bias", Always(0), members, width)
	outDims := append(append([]int{}, dims[:len(dims)-1]...), width)
	if members == 0 {
		y := MatMul(Reshape(x, -1, features), w)
		return Reshape(Add(y, Reshape(b, 1, width)), outDims...)
	}
	y := Einsum("mrf,mfw->mrw", Reshape(x, members, -1, features), w)
	return Reshape(Add(y, Reshape(b, members, 1, width)), outDims...)
}
