package neural

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// Constants of AdamW and of the norm clip. They are PyTorch's defaults; the clip follows clip_grad_norm_.
const (
	beta1       = 0.9
	beta2       = 0.999
	adamEpsilon = 1e-8
	clipNorm    = 1.0
	clipEpsilon = 1e-6
)

// clip returns min(1, 1/(‖g‖₂ + 1e-6)), given the square of the norm of the gradient over all parameters together.
func clip(square *Node) *Node {
	return MinScalar(Div(ConstAs(square, clipNorm), AddScalar(Sqrt(square), clipEpsilon)), 1.0)
}

// AdamW (Loshchilov and Hutter 2019) takes a step on the clipped gradient g:
//
//	m ← β₁ m + (1−β₁) g,  v ← β₂ v + (1−β₂) g²
//	θ ← (1 − lr·wd) θ − lr · m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + 1e-8)
//
// lr falls by the same share after every epoch. The code has two halves, because a block of fits runs the second at the
// start of the next step. Every number is a scalar or, if the arrays have a leading members axis, [members].

// moments is the first half: it returns m and v for a gradient that has not yet been multiplied by clip. Members that are not
// active, a bool [members], keep theirs; nil means that all are.
func moments(m, v, gradient, clip, active *Node) (first, second *Node) {
	g, again := Mul(gradient, alongMembers(clip, gradient)), Mul(batched.Again(gradient), alongMembers(clip, gradient))
	of := func(x *Node, step, idle float64) *Node {
		if active == nil {
			return MulScalar(x, step)
		}
		return Mul(x, alongMembers(Where(active, ConstAs(x, step), ConstAs(x, idle)), x))
	}
	return Add(of(m, beta1, 1), of(g, 1-beta1, 0)), Add(of(v, beta2, 1), of(Square(again), 1-beta2, 0))
}

// rates holds the numbers of AdamW, for one fit or many.
type rates struct {
	lr, wd *Node
	keep   *Node // factor of the learning rate after each epoch; 1 keeps it constant
	steps  *Node // steps per epoch
}

// splitNumbers separates the numbers of AdamW from those of the network.
func splitNumbers(values []*Node) (network []*Node, r rates) {
	n := len(values) - 4
	return values[:n], rates{values[n], values[n+1], values[n+2], values[n+3]}
}

// pace holds what the update of a step needs. It is computed from the number t of the step, from 1, and the numbers of
// AdamW.
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

// due changes the pace so that members that are not due, a bool [members], keep their parameters.
func (s pace) due(due *Node) pace {
	return pace{Where(due, s.shrink, OnesLike(s.shrink)), Where(due, s.rate, ZerosLike(s.rate)), s.correction}
}

// update is the second half: it returns the parameters after the step that produced m and v.
func (s pace) update(p, m, v *Node) *Node {
	denominator := AddScalar(Div(Sqrt(v), alongMembers(s.correction, v)), adamEpsilon)
	return Sub(Mul(p, alongMembers(s.shrink, p)), Div(Mul(m, alongMembers(s.rate, m)), denominator))
}

// alongMembers reshapes n, a scalar or [members], to the rank of x.
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
