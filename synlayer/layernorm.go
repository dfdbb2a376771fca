package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/nn"
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
	x = nn.LayerNorm(x, []int{-1}, layerNormEpsilon, nil, nil, nil)
	return Add(Mul(x, Reshape(gain, affine...)), Reshape(bias, affine...))
}
