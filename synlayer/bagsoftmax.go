package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/members"
)

// BagSoftmax is the softmax of logits [batch, heads, instances] over the instances that mask [batch, instances]
// marks as real; the others get exactly 0, and so does a whole row without a real instance. A members axis may stand
// in front of both; a nil mask marks all as real.
func BagSoftmax(logits, mask *Node) *Node {
	if mask == nil {
		return Softmax(logits, -1)
	}
	return softmaxWhere(members.MaskLike(mask, logits, -2), logits)
}

// softmaxWhere is [BagSoftmax] over the instances that real, of the shape of logits, marks.
func softmaxWhere(real, logits *Node) *Node {
	largest := ReduceAndKeep(Where(real, logits, Infinity(logits.Graph(), logits.DType(), -1)), ReduceMax, -1)
	largest = StopGradient(Where(IsFinite(largest), largest, ZerosLike(largest)))
	e := Where(real, Exp(Where(real, Sub(logits, largest), ZerosLike(logits))), ZerosLike(logits))
	return Div(e, members.OneIfZero(ReduceAndKeep(e, ReduceSum, -1)))
}
