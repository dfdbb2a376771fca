package batched

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Dense is the Dense of package synlayer.
func Dense(scope *model.Scope, x *Node, members, width int) *Node {
	g, dims := x.Graph(), x.Shape().Dimensions
	features := dims[len(dims)-1]
	w, b := affine(scope, x, members, features, width)
	outDims := append(append([]int{}, dims[:len(dims)-1]...), width)
	if members == 0 {
		y := MatMul(Reshape(x, -1, features), w)
		return Reshape(Add(y, Reshape(b, 1, width)), outDims...)
	}
	x = Reshape(x, members, -1, features)
	binding := bound(g)
	keep := func(x *Node) *Node { return x }
	if rows := x.Shape().Dim(1); binding != nil && rows > 1 {
		one := unknownOne(x)
		keep = func(x *Node) *Node { return Div(x, one) }
	}
	x = keep(x)
	y := Add(Einsum("mrf,mfw->mrw", x, w), Reshape(b, members, 1, width))
	if binding != nil {
		binding.maps = append(binding.maps, denseMap{scope.Scope(), x, y, nil})
	}
	return Reshape(keep(y), outDims...)
}

// affine returns the variables of [Dense] in the type of x.
func affine(scope *model.Scope, x *Node, members, features, width int) (weights, bias *Node) {
	weights = Variable(scope, x.Graph(), x.DType(), "weights", XavierUniform(features, width), members, features, width)
	bias = Variable(scope, x.Graph(), x.DType(), "bias", Always(0), members, width)
	return weights, bias
}

// unknownOne returns a scalar 1 whose value is unknown to XLA. XLA repeats cheap operations for every use of their result,
// but not divisions. So a value divided by this is computed once and stored, and so is its gradient in the backward pass.
func unknownOne(x *Node) *Node {
	first := x
	for axis := range x.Rank() {
		first = SliceAxis(first, axis, AxisElem(0))
	}
	first = StopGradient(Reshape(first))
	never := GreaterThan(first, Infinity(x.Graph(), x.DType(), 1))
	return Where(never, ConstAs(x, 2), ConstAs(x, 1))
}
