package mixture_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"synpool/internal/mixture"
)

// Two clusters, and that of another row.
func ExampleKMeans_Fit() {
	rows := mixture.Matrix([]float32{0, 1, 2, 10, 11, 12}, 1, nil)
	centres, err := mixture.DefaultKMeans(2).Fit(context.Background(), rows, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	cluster, distance := centres.Nearest([]float32{9})
	fmt.Println(slices.Sorted(slices.Values(centres.Values)), centres.Inertia)
	fmt.Println(centres.Values[cluster], distance)
	// Output:
	// [1 11] 4
	// 11 4
}

// The rows of a set become one Fisher vector, whatever their number.
func ExampleMixture_Fisher() {
	rows := mixture.Matrix([]float32{0, 1, 2, 10, 11, 12}, 1, nil)
	m, err := mixture.DefaultGaussian(2).Fit(context.Background(), rows, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		fmt.Println(err)
		return
	}
	vector, err := m.Fisher(mixture.Matrix([]float32{0, 0, 1}, 1, nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	var length float64
	for _, v := range vector {
		length += v * v
	}
	fmt.Printf("%d derivatives, length %.3f\n", len(vector), length)
	// Output:
	// 4 derivatives, length 1.000
}
