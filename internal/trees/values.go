package trees

import "math"

// measure sets mean to that of the values of a node and reports whether all of its values are equal.
func (g *grower) measure(node *span) bool {
	values := g.target[node.begin:node.end]
	first, sum, same := values[0], 0.0, true
	for _, v := range values {
		same = same && v == first
		sum += v - first
	}
	g.mean = first + sum/float64(len(values))
	return same
}

// scatter returns the decrease of the variance of the values y of a node by a threshold for the keys,
//
//	n·V − n_l·V_l − n_r·V_r = s_l² / n_l + s_r² / n_r,  s = Σ (y − mean) of a child,
//
// with the mean of the node. It is −Inf if a child has too few rows. Both sums are computed, although s_r = −s_l, so that
// candidates that split the rows in the same way, even with sides exchanged, are bit-identical: of these the first one drawn
// is taken.
func (g *grower) scatter(keys []int32, node *span, threshold int32) float64 {
	values := g.target[node.begin:node.end][:len(keys)]
	var count [2]int
	var sum [2]float64
	for i, v := range keys {
		right := int(uint64(int64(threshold)-int64(v)) >> 63)
		count[right]++
		sum[right] += values[i] - g.mean
	}
	if count[0] < g.config.MinLeaf || count[1] < g.config.MinLeaf {
		return math.Inf(-1)
	}
	return sum[0]*sum[0]/float64(count[0]) + sum[1]*sum[1]/float64(count[1])
}
