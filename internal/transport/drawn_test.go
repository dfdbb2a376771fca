package transport

import (
	"math/rand/v2"
)

// normal returns rows whose features are normal, moved by shift.
func normal(r *rand.Rand, rows, features int, shift float64) []float64 {
	x := make([]float64, rows*features)
	for i := range x {
		x[i] = r.NormFloat64() + shift
	}
	return x
}

// weights returns random weights of sum 1.
func weights(r *rand.Rand, n int) []float64 {
	w := make([]float64, n)
	sum := 0.0
	for i := range w {
		w[i] = r.Float64()
		sum += w[i]
	}
	scale(w, 1/sum)
	return w
}
