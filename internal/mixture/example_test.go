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
