package fit

import . "github.com/gomlx/gomlx/core/graph"

// CrossEntropy returns −Σ right · log softmax(logits) and Σ right over all rows of both [..., classes]: right is 1 for the class
// of a row and 0 elsewhere, times the weight of the row. Their quotient is the mean loss. A row of zeros, [OneHot] of -1, counts
// for nothing.
func CrossEntropy(logits, right *Node) (sum, weight *Node) {
	return Neg(ReduceAllSum(Mul(right, LogSoftmax(logits)))), ReduceAllSum(right)
}
