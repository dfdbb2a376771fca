package svm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"synpool/internal/svm"
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

func BenchmarkCSVC(b *testing.B) {
	for _, n := range []int{100, 1000, 3000} {
		_, k, positive := blobs(rand.New(rand.NewPCG(1, 0)), n, 10, 0.5, 0.1)
		m, err := svm.NewMatrix(k, n, n)
		if err != nil {
			b.Fatal(err)
		}
		for _, c := range []float64{1, 10} {
			b.Run(fmt.Sprintf("%d/C=%v", n, c), func(b *testing.B) {
				s := svm.DefaultCSVC()
				s.C = c
				iterations := 0
				for b.Loop() {
					r, err := s.Fit(b.Context(), m, positive, nil)
					if err != nil {
						b.Fatal(err)
					}
					iterations = r.Iterations
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(iterations)/float64(n), "ns/iteration/n")
			})
		}
	}
}

func BenchmarkLinear(b *testing.B) {
	const n, features = 200, 2000
	r := rand.New(rand.NewPCG(1, 0))
	normal, _, positive := blobs(r, n, features, 0.1, 0)
	z, _, _ := blobs(r, features, 10, 0, 0)
	p, _, labels := blobs(r, n, 10, 0.5, 0)
	similar := make([]float64, n*features)
	for i := range n {
		for j := range features {
			sum := 0.0
			for f := range 10 {
				d := p[i*10+f] - z[j*10+f]
				sum += d * d
			}
			similar[i*features+j] = math.Exp(-sum / 30)
		}
	}
	for _, penalty := range []svm.Penalty{svm.L2, svm.L1} {
		for name, x := range map[string][]float64{"normal": normal, "similarities": similar} {
			y := positive
			if name != "normal" {
				y = labels
			}
			for _, c := range []float64{0.1, 1} {
				b.Run(fmt.Sprintf("L%d/%s/C=%v", 2-int(penalty), name, c), func(b *testing.B) {
					s := svm.DefaultLinear()
					s.Penalty, s.C = penalty, c
					passes := 0
					for b.Loop() {
						h, err := svm.FitLinear(b.Context(), s, svm.Dense[float64]{Values: x, N: n, Features: features, Stride: features}, y, nil)
						if err != nil {
							b.Fatal(err)
						}
						passes = h.Iterations
					}
					b.ReportMetric(float64(passes), "passes")
				})
			}
		}
	}
}
