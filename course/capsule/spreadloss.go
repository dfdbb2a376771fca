package capsule

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// SpreadLoss returns the loss of the paper (equation 3), the mean over the batch of
//
//	L = Σ over classes i other than the target t of max(0, m − (a_t − a_i))²
//
// for activations a [batch, classes], labels t (integers [batch] from 0 to classes−1) and the scalar margin m. A label
// outside this range counts as a class with a_t = 0, compared with every class.
func SpreadLoss(activations, labels, margin *Node) *Node {
	if activations.Rank() != 2 || !labels.DType().IsInt() {
		exceptions.Panicf("capsule: spread loss of activations %s and labels %s, want [batch, classes] and integers [batch]",
			activations.Shape(), labels.Shape())
	}
	batch, classes := activations.Shape().Dim(0), activations.Shape().Dim(1)
	labels.AssertDims(batch)
	margin.AssertScalar()
	target := OneHot(labels, classes, activations.DType())
	of := ReduceAndKeep(Mul(activations, target), ReduceSum, 1)
	short := Max(Sub(margin, Sub(of, activations)), ZerosLike(activations))
	return DivScalar(ReduceAllSum(Mul(Square(short), OneMinus(target))), batch)
}

// SpreadMargin returns the margin of [SpreadLoss] after the given part of the training, from 0 to 1: it rises linearly from
// 0.2 to 0.9 (section 4.1).
func SpreadMargin(part float64) float64 { return 0.2 + 0.7*min(max(part, 0), 1) }
