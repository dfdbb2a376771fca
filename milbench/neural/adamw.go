package neural

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// The constants of AdamW, PyTorch's defaults, and of the norm clip, PyTorch's clip_grad_norm_.
const (
	beta1       = 0.9
	beta2       = 0.999
	adamEpsilon = 1e-8
	clipNorm    = 1.0
	clipEpsilon = 1e-6
)

// state is the parameters of a network and their first and second moments, in one order.
type state struct{ parameters, first, second []*Node }

// adamW returns the state after one step of AdamW (Loshchilov and Hutter 2019) with the gradient's norm clipped to 1:
//
//	g ← g · min(1, 1/(‖g‖₂ + 1e-6))          over all parameters together
//	m ← β₁ m + (1−β₁) g,  v ← β₂ v + (1−β₂) g²
//	θ ← (1 − lr·wd) θ − lr · m/(1−β₁ᵗ) / (√(v/(1−β₂ᵗ)) + 1e-8)
//
// step is t, from 1; step, lr and wd are scalar or, with members > 0, [members], when every array of s and
// gradients has a members axis in front and each member has its own norm.
func adamW(s state, gradients []*Node, step, lr, wd *Node, members int) state {
	perMember := func(n, x *Node) *Node {
		if n.IsScalar() {
			return n
		}
		dims := make([]int, x.Rank())
		for i := range dims {
			dims[i] = 1
		}
		dims[0] = members
		return Reshape(n, dims...)
	}
	var square *Node
	for _, g := range gradients {
		var s *Node
		if members > 0 {
			s = ReduceSum(Square(Reshape(g, members, -1)), -1)
		} else {
			s = ReduceAllSum(Square(g))
		}
		if square == nil {
			square = s
		} else {
			square = Add(square, s)
		}
	}
	clip := MinScalar(Div(ConstAs(square, clipNorm), AddScalar(Sqrt(square), clipEpsilon)), 1.0)
	t := ConvertDType(step, square.DType())
	correction1 := OneMinus(Pow(ConstAs(t, beta1), t))
	correction2 := Sqrt(OneMinus(Pow(ConstAs(t, beta2), t)))
	shrink := OneMinus(Mul(lr, wd))
	rate := Div(lr, correction1)
	var next state
	for i, p := range s.parameters {
		g := Mul(gradients[i], perMember(clip, p))
		m := Add(MulScalar(s.first[i], beta1), MulScalar(g, 1-beta1))
		v := Add(MulScalar(s.second[i], beta2), MulScalar(Square(g), 1-beta2))
		denominator := AddScalar(Div(Sqrt(v), perMember(correction2, p)), adamEpsilon)
		p = Sub(Mul(p, perMember(shrink, p)), Div(Mul(m, perMember(rate, p)), denominator))
		next.parameters = append(next.parameters, p)
		next.first = append(next.first, m)
		next.second = append(next.second, v)
	}
	return next
}
