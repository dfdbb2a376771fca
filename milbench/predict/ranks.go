package predict

import (
	"cmp"
	"slices"
)

// Ranks returns the relative rank of each value, from 0 for the smallest to 1 for the largest. Equal values share the
// mean. A single value has rank 0.
func Ranks(values []float64) []float64 {
	order, ranks := make([]int, len(values)), make([]float64, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	last := len(order) - 1
	for i := 0; i <= last; {
		j := i
		for j < last && values[order[j+1]] == values[order[i]] {
			j++
		}
		for _, at := range order[i : j+1] {
			ranks[at] = float64(i+j) / 2 / float64(max(last, 1))
		}
		i = j + 1
	}
	return ranks
}
