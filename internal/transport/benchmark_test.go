package transport

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// normal returns rows whose features are normal, moved by shift.
func normal(r *rand.Rand, rows, features int, shift float64) []float64 {
	x := make([]float64, rows*features)
	for i := range x {
		x[i] = r.NormFloat64() + shift
	}
	return x
}

func BenchmarkDistance(b *testing.B) {
	for _, size := range []int{7, 60, 500, 1000} {
		for _, features := range []int{2, 230} {
			for _, weighted := range []bool{false, true} {
				b.Run(fmt.Sprintf("%d/%d/%t", size, features, weighted), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 2))
					cost, err := Costs(nil, Euclidean, normal(r, size, features, 0), normal(r, size, features, 0.2), features)
					if err != nil {
						b.Fatal(err)
					}
					var from, to []float64
					if weighted {
						from, to = weights(r, size), weights(r, size)
					}
					var s Solver
					for b.Loop() {
						if _, err := s.Distance(cost, size, size, from, to); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(s.pivots), "pivots")
				})
			}
		}
	}
}

func BenchmarkCosts(b *testing.B) {
	for _, size := range []int{7, 60, 1000} {
		for _, metric := range []Metric{Euclidean, CityBlock} {
			b.Run(fmt.Sprintf("%d/%v", size, metric), func(b *testing.B) {
				r := rand.New(rand.NewPCG(1, 2))
				x, y := normal(r, size, 230, 0), normal(r, size, 230, 0.2)
				var dst []float64
				for b.Loop() {
					var err error
					if dst, err = Costs(dst, metric, x, y, 230); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
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
