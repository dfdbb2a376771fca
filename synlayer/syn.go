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

// StraightThrough returns adjusted, but with the gradient of weights: the backward pass treats the adjustment as the
// identity (the gradient bypass of figure 3).
func StraightThrough(weights, adjusted *Node) *Node {
	// The difference is exactly 0, so adjusted keeps its smallest weights.
	return Add(StopGradient(adjusted), Sub(weights, StopGradient(weights)))
}
