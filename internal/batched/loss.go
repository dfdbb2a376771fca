package batched

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// LogisticLoss returns −log of the probability that logits assign to labels, 0 or 1, for each bag: log(1 + exp(z)), z =
// l·(1−2y), in the two forms of [Softened].
func LogisticLoss(logits, labels *Node) (value, differentiated *Node) {
	return Softened(Mul(logits, OneMinus(MulScalar(labels, 2))))
}

// Softened returns log(1 + exp(z)) in two forms, which differ only by rounding. The first is for reporting; the second,
// GoMLX's Softplus, is for differentiation, because the rounding of its value depends on the position in a block.
func Softened(z *Node) (value, differentiated *Node) {
	return Add(MaxScalar(z, 0.0), log1p(Exp(Neg(Abs(z))))), Softplus(z)
}

// log1p returns log(1+x) for x in [0, 1] to a few units in the last place, as log(u)·x/(u−1) of the rounded u = 1+x (Kahan).
// XLA's own log1p rounds differently at different positions of an array, because it fuses a product with a sum. The minima
// change no value: the first prevents that fusion, the second prevents simplifying (1+x)−1 to x.
func log1p(x *Node) *Node {
	x = MinScalar(x, 2.0)
	u := MinScalar(AddScalar(x, 1), 4.0)
	step := AddScalar(u, -1)
	return Where(IsZero(step), x, Div(Mul(Log(u), x), step))
}
