package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// Syn applies Syn steps to attention weights (equations 9 to 13): forward steps, which concentrate, if iterations is
// positive; inverse steps, which distract, if it is negative. If it is 0, the weights are returned unchanged.
//
//	forward:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f(ξ̃) = γ ξ̃³ + (1−γ) ξ̃
//	inverse:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f⁻¹(ξ̃)
//
// weights is [..., instances]; f is odd, so negative order parameters are allowed. gamma in (0, 1] is a scalar or has one
// entry per member. Zeros, including padding, stay exactly 0, and a row of zeros stays a row of zeros.
//
// The result is not renormalised. Forward steps converge to a one-hot row, or to equal weights if several tie for the
// largest magnitude. Inverse steps converge to equal weights f⁻¹(1/√N) of the N non-zero instances; their sum grows with N.
//
// The gradient is the exact one through every step; it explodes or vanishes as the number of steps grows. Layers use
// [StraightThrough] instead.
//
// f⁻¹ is not computed as printed in equation 11, which loses precision for small weights and divides by zero at weight 0
// with γ = 1, but as
//
//	p = (1−γ)/γ,  q = y/γ,  u = ∛(q/2 + √(q²/4 + p³/27)),  x = q / (u² + p/3 + (p/3u)²)
//
// with the gradient 1/f'(x).
func Syn(weights, gamma *Node, iterations int) *Node { return batched.Syn(weights, gamma, iterations) }

// LogSyn applies Syn steps with γ = 1 to attention weights given by their logits, and returns the logarithms of the results. With
// γ = 1 a step is a power, so that any number of them is one formula, a softmax with a temperature and an L2 norm:
//
//	log ξ' = s (t ℓ − (1/q) log Σ exp(q t ℓ)),  t = 3^I / s
//
// where s and q are 3 and 2 for I > 0, 1/3 and 2 for I < 0, 1 and 1 for I = 0 (the logarithms of the softmax). It equals the
// logarithm of [Syn] on the softmax, but keeps small weights apart that Syn rounds to 0. Inverse steps divide differences of logarithms
// by 3^|I|, so that in float32 the results of most bags are equal after twenty of them, here as in Syn: the order is that of the
// logits.
//
// logits is [..., heads, instances]; mask [..., instances], or nil, leaves instances out: their result is −∞.
func LogSyn(logits, mask *Node, iterations int) *Node {
	return logSyn(logits, mask, ConstAs(logits, float64(iterations)))
}

func logSyn(logits, mask, iterations *Node) *Node {
	if mask != nil {
		mask = batched.MaskLike(mask, logits, -2)
	}
	return batched.LogSyn(logits, mask, iterations)
}

// StraightThrough returns adjusted, but with the gradient of weights: the backward pass treats the adjustment as the
// identity (the gradient bypass of figure 3).
func StraightThrough(weights, adjusted *Node) *Node {
	// The difference is exactly 0, so adjusted keeps its smallest weights.
	return Add(StopGradient(adjusted), Sub(weights, StopGradient(weights)))
}
