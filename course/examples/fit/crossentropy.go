package fit

import . "github.com/gomlx/gomlx/core/graph"

// CrossEntropy returns −Σ right · log softmax(logits) and Σ right over all rows of both [..., classes]: right is 1 for the
// class of a row and 0 elsewhere, times the weight of the row. The quotient of the two is the mean loss. A row of zeros
// ([OneHot] of -1) has no effect.
func CrossEntropy(logits, right *Node) (sum, weight *Node) {
	return Neg(ReduceAllSum(Mul(right, LogSoftmax(logits)))), ReduceAllSum(right)
}

// BinaryCrossEntropy is [CrossEntropy] for rows that may have several labels, or none. It returns −Σ rows (right · log
// σ(logits) + (1 − right) · log σ(−logits)) and Σ rows over all rows and labels, where right [..., labels] is 1 for a label
// that is present and 0 otherwise, and rows [...] is the weight of the row: 0 for an empty row, 1 otherwise.
func BinaryCrossEntropy(logits, right, rows *Node) (sum, weight *Node) {
	weights := Mul(OnesLike(right), ExpandAxes(rows, -1))
	return ReduceAllSum(Mul(weights, Sub(Softplus(logits), Mul(right, logits)))), ReduceAllSum(weights)
}
