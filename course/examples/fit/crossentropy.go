package fit

import . "github.com/gomlx/gomlx/core/graph"

// CrossEntropy returns −Σ right · log softmax(logits) and Σ right over all rows of both [..., classes]: right is 1 for the
// class of a row and 0 elsewhere, times the weight of the row. The quotient of the two is the mean loss. A row of zeros
// ([OneHot] of -1) has no effect.
func CrossEntropy(logits, right *Node) (sum, weight *Node) {
	return Neg(ReduceAllSum(Mul(right, LogSoftmax(logits)))), ReduceAllSum(right)
}

// BinaryCrossEntropy is [CrossEntropy] for rows that may have several labels, or none. It returns −Σ w (right · log
// σ(logits) + (1 − right) · log σ(−logits)) and Σ w over all rows and labels, where right [..., labels] is 1 for a label
// that is present and 0 otherwise. w is the element of there [labels] (present) or absent [labels], times the weight [...]
// of the row in rows: 0 for an empty row, 1 otherwise.
func BinaryCrossEntropy(logits, right, rows *Node, there, absent []float32) (sum, weight *Node) {
	of := func(weights []float32) *Node { return ExpandLeftToRank(ConstAs(right, weights), right.Rank()) }
	weights := Mul(Add(Mul(right, of(there)), Mul(OneMinus(right), of(absent))), ExpandAxes(rows, -1))
	return ReduceAllSum(Mul(weights, Sub(Softplus(logits), Mul(right, logits)))), ReduceAllSum(weights)
}

// BalancedLabels returns weights for [BinaryCrossEntropy] that balance texts with and without each label, and all labels:
// N/(2 N_k) and N/(2 (N − N_k)), where N_k of N texts have label k.
func BalancedLabels(counts []int, texts int) (there, absent []float32) {
	for _, n := range counts {
		there = append(there, float32(texts)/float32(2*max(1, n)))
		absent = append(absent, float32(texts)/float32(2*max(1, texts-n)))
	}
	return there, absent
}
