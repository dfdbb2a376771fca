package members

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// LogisticLoss is −log of the probability that logits give to labels, 0 or 1, of each bag: log(1 + exp(z)), z = l·(1−2y), as
// [Softened] gives it.
func LogisticLoss(logits, labels *Node) (value, differentiated *Node) {
	return Softened(Mul(logits, OneMinus(MulScalar(labels, 2))))
}

// Softened is log(1 + exp(z)) in two forms, which differ by rounding alone: the first is reported and the second, GoMLX's
// Softplus, differentiated. Its value would be rounded by its place in a block.
func Softened(z *Node) (value, differentiated *Node) {
	return Add(MaxScalar(z, 0.0), log1p(Exp(Neg(Abs(z))))), Softplus(z)
}

// log1p returns log(1+x) for x in [0, 1] to a few units in the last place, as log(u)·x/(u−1) of the rounded u = 1+x (Kahan).
// XLA's own rounds otherwise in other places of an array where it fuses a product with a sum. The minima change no number:
// the first keeps XLA from that, the second from taking (1+x)−1 for x.
func log1p(x *Node) *Node {
	x = MinScalar(x, 2.0)
	u := MinScalar(AddScalar(x, 1), 4.0)
	step := AddScalar(u, -1)
	return Where(IsZero(step), x, Div(Mul(Log(u), x), step))
}
