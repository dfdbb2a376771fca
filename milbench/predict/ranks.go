package predict

import "synpool/milbench/stats"

// Ranks returns the relative rank of each value, from 0 for the smallest to 1 for the largest. Equal values share the
// mean. A single value has rank 0.
func Ranks(values []float64) []float64 {
	ranks := stats.Ranks(values)
	for i, rank := range ranks {
		ranks[i] = (rank - 1) / float64(max(len(values)-1, 1))
	}
	return ranks
}
