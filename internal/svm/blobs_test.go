package svm_test

import (
	"math"
	"math/rand/v2"
)

// blobs returns n points of two classes that overlap, and their radial kernel matrix.
func blobs(r *rand.Rand, n, features int, shift, gamma float64) (x, k []float64, positive []bool) {
	x, k, positive = make([]float64, n*features), make([]float64, n*n), make([]bool, n)
	for i := range n {
		positive[i] = i%2 == 1
		for j := range features {
			x[i*features+j] = r.NormFloat64()
			if positive[i] {
				x[i*features+j] += shift
			}
		}
	}
	for i := range n {
		for j := range n {
			sum := 0.0
			for f := range features {
				d := x[i*features+f] - x[j*features+f]
				sum += d * d
			}
			k[i*n+j] = math.Exp(-gamma * sum)
		}
	}
	return x, k, positive
}
