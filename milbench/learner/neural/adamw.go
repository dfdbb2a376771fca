package neural

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/members"
)

// The constants of AdamW, PyTorch's defaults, and of the norm clip, PyTorch's clip_grad_norm_.
const (
	beta1       = 0.9
	beta2       = 0.999
	adamEpsilon = 1e-8
	clipNorm    = 1.0
	clipEpsilon = 1e-6
)

// clip returns min(1, 1/(‖g‖₂ + 1e-6)) of the square of the gradient's norm over all parameters together.
func clip(square *Node) *Node {
	return MinScalar(Div(ConstAs(square, clipNorm), AddScalar(Sqrt(square), clipEpsilon)), 1.0)
}

// A step of AdamW (Loshchilov and Hutter 2019) on the clipped gradient g,
//
//	m ← β₁ m + (1−β₁) g,  v ← β₂ v + (1−β₂) g²
//	θ ← (1 − lr·wd) θ − lr · m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + 1e-8)
//
// where lr falls by the same share after every epoch, is in two halves, since a block of fits takes the second at the start of the next step. Every number is a scalar or,
// with a members axis in front of the arrays, [members].

// moments is the first half: m and v after a gradient that is still to be multiplied by clip.
func moments(m, v, gradient, clip *Node) (first, second *Node) {
	g, again := Mul(gradient, alongMembers(clip, gradient)), Mul(members.Again(gradient), alongMembers(clip, gradient))
	return Add(MulScalar(m, beta1), MulScalar(g, 1-beta1)), Add(MulScalar(v, beta2), MulScalar(Square(again), 1-beta2))
}

// rates are the numbers of AdamW, of one fit or of many.
type rates struct {
	lr, wd *Node
	keep   *Node // what the learning rate keeps after an epoch, 1 for all of it
	steps  *Node // of an epoch
}

// splitNumbers takes the numbers of AdamW off those of a setting.
func splitNumbers(values []*Node) (network []*Node, r rates) {
	n := len(values) - 4
	return values[:n], rates{values[n], values[n+1], values[n+2], values[n+3]}
}

// pace is what the update of a step takes from its number t, from 1, and the numbers of AdamW.
type pace struct {
	shrink     *Node // 1 − lr·wd
	rate       *Node // lr / (1−β₁ᵗ)
	correction *Node // √(1−β₂ᵗ)
}

func newPace(step *Node, r rates) pace {
	one := Const(step.Graph(), int32(1))
	epochs := ConvertDType(Div(Sub(step, one), ConvertDType(r.steps, step.DType())), r.lr.DType()) // that are over
	lr := Mul(r.lr, Pow(r.keep, epochs))
	t := ConvertDType(step, lr.DType())
	return pace{
		shrink:     OneMinus(Mul(lr, r.wd)),
		rate:       Div(lr, OneMinus(Pow(ConstAs(t, beta1), t))),
		correction: Sqrt(OneMinus(Pow(ConstAs(t, beta2), t))),
	}
}

// update is the second half: the parameters p after the step that left m and v.
func (s pace) update(p, m, v *Node) *Node {
	denominator := AddScalar(Div(Sqrt(v), alongMembers(s.correction, v)), adamEpsilon)
	return Sub(Mul(p, alongMembers(s.shrink, p)), Div(Mul(m, alongMembers(s.rate, m)), denominator))
}

// alongMembers gives a scalar or [members] the rank of x.
func alongMembers(n, x *Node) *Node {
	if n.IsScalar() {
		return n
	}
	dims := make([]int, x.Rank())
	for i := range dims {
		dims[i] = 1
	}
	dims[0] = n.Shape().Dim(0)
	return Reshape(n, dims...)
}
