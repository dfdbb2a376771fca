package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// BagSoftmax returns the softmax of logits [batch, heads, instances] over the instances that mask [batch, instances] marks
// as real. Padding gets exactly 0, and so does every entry of a row without a real instance. Both arguments may have a
// leading members axis; a nil mask means all are real.
func BagSoftmax(logits, mask *Node) *Node {
	if mask == nil {
		return Softmax(logits, -1)
	}
	return softmaxWhere(batched.MaskLike(mask, logits, -2), logits)
}

// softmaxWhere is [BagSoftmax] with a mask real in the shape of logits.
func softmaxWhere(real, logits *Node) *Node {
	e := Where(real, Exp(belowLargest(real, logits)), ZerosLike(logits))
	return Div(e, batched.OneIfZero(ReduceAndKeep(e, ReduceSum, -1)))
}

// belowLargest returns logits less the largest real one of their row, and 0 for padding. The largest has no gradient.
func belowLargest(real, logits *Node) *Node {
	largest := ReduceAndKeep(Where(real, logits, Infinity(logits.Graph(), logits.DType(), -1)), ReduceMax, -1)
	largest = StopGradient(Where(IsFinite(largest), largest, ZerosLike(largest)))
	return Where(real, Sub(logits, largest), ZerosLike(logits))
}
