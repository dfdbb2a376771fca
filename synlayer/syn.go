package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/members"
)

// Syn adjusts attention weights by iterations Syn steps (equations 9 to 13): forward steps if positive, which
// concentrate, inverse steps if negative, which distract, none if 0, which returns weights as they are.
//
//	forward:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f(ξ̃) = γ ξ̃³ + (1−γ) ξ̃
//	inverse:  ξ̃ = ξ/‖ξ‖₂,  ξ' = f⁻¹(ξ̃)
//
// weights is [..., instances]; f is odd, so negative order parameters are allowed. gamma in (0, 1] is a scalar or
// one a member. Zeros, padding among them, stay exactly 0, and a row of zeros stays a row of zeros.
//
// The result is not renormalised: forward steps end in a one-hot row, or in equal weights of those that tie for the
// largest magnitude, inverse steps in equal weights f⁻¹(1/√N) over the N non-zero instances, whose sum grows with N.
//
// The gradient is the true one through every step, which explodes or vanishes with their number; layers use
// [StraightThrough].
//
// f⁻¹ is not computed as equation 11 prints it, which cancels for small weights and divides by zero at weight 0 with
// γ = 1, but as
//
//	p = (1−γ)/γ,  q = y/γ,  u = ∛(q/2 + √(q²/4 + p³/27)),  x = q / (u² + p/3 + (p/3u)²)
//
// with the gradient 1/f'(x).
func Syn(weights, gamma *Node, iterations int) *Node { return members.Syn(weights, gamma, iterations) }

// StraightThrough returns adjusted with the gradient of weights: the adjustment between them counts as the identity
// in the backward pass (the gradient bypass of figure 3).
func StraightThrough(weights, adjusted *Node) *Node {
	// The difference is exactly 0, so that adjusted keeps its smallest weights.
	return Add(StopGradient(adjusted), Sub(weights, StopGradient(weights)))
}
