package plotting_test

import (
	"fmt"
	"math/rand/v2"

	"synpool/plotting"
)

func ExampleTSNE() {
	random := rand.New(rand.NewPCG(1, 0))
	classes := []string{"negative", "positive"}
	var pooled [][]float64 // bags of two classes, in 16 dimensions
	for i := range 60 {
		v := make([]float64, 16)
		for j := range v {
			v[j] = float64(2*(i%2)) + random.NormFloat64()
		}
		pooled = append(pooled, v)
	}
	places, divergence, err := plotting.TSNE(pooled, 15, 1000, random)
	if err != nil {
		fmt.Println(err)
		return
	}
	var points []plotting.ScatterPoint
	for i, p := range places {
		points = append(points, plotting.ScatterPoint{X: p[0], Y: p[1], Class: classes[i%2]})
	}
	figure, err := plotting.Scatter("Pooled bags", "t-SNE 1", "t-SNE 2", points)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("divergence %.1f\n", divergence)
	fmt.Println(save(figure, "bags.png"))
	// Output:
	// divergence 0.3
	// <nil>
}
