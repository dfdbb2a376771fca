package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// LogSumExpPooling is the smooth maximum of each feature over the n instances (Pinheiro and Collobert 2015,
// equation 6; Ramon and De Raedt 2000):
//
//	pooled = 1/r · log(1/n Σ exp(r x))
//
// It tends to the mean as r → 0 and to the maximum as r → ∞. An empty bag gives 0. It has no variables. The weight of an
// instance is its softmax of r x, the derivative of pooled with respect to x, averaged over the features.
type LogSumExpPooling struct {
	Sharpness float64 // r > 0
}

var _ Pooling = LogSumExpPooling{}

// DefaultLogSumExp returns r = 1.
func DefaultLogSumExp() LogSumExpPooling { return LogSumExpPooling{Sharpness: 1} }

// Validate reports a sharpness that is not a finite number above 0.
func (p LogSumExpPooling) Validate() error {
	return checkPositive("LogSumExpPooling", "sharpness", p.Sharpness)
}

// Pool implements [Pooling], with one head. It panics with the error of Validate.
func (p LogSumExpPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	r := batched.Along(batched.Number(scope, bags.X, "sharpness", p.Sharpness), bags.X)
	real := batched.MaskLike(bags.Mask, bags.X, -1)
	scaled := Mul(bags.X, r)
	largest := ReduceAndKeep(Where(real, scaled, Infinity(scaled.Graph(), scaled.DType(), -1)), ReduceMax, -2)
	largest = StopGradient(Where(IsFinite(largest), largest, ZerosLike(largest)))
	e := batched.ZeroUnless(bags.Mask, Exp(batched.ZeroUnless(bags.Mask, Sub(scaled, largest), -1)), -1)
	sum := batched.OneIfZero(ReduceAndKeep(e, ReduceSum, -2))
	count := batched.OneIfZero(ReduceAndKeep(ConvertDType(real, e.DType()), ReduceSum, -2))
	pooled = Div(Add(largest, Log(Div(sum, count))), r)
	dims := pooled.Shape().Dimensions
	pooled = Reshape(pooled, append(append([]int{}, dims[:len(dims)-2]...), dims[len(dims)-1])...)
	return pooled, perInstance(Div(e, sum))
}
