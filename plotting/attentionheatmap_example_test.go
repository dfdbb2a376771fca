package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleAttentionHeatMap() {
	figure, err := plotting.AttentionHeatMap("Two heads over a bag of four", nil, nil, [][]float64{
		{0.1, 0.6, 0.2, 0.1},
		{0.7, 0.1, 0.1, 0.1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "heads.svg"))

	_, err = plotting.AttentionHeatMap("", nil, nil, [][]float64{{0.1, 0.9}, {1}})
	fmt.Println(err)
	// Output:
	// <nil>
	// drawing a heat map of attention: head 1 has 2 weights but head 2 has 1
}

func ExampleWeightMap() {
	figure, err := plotting.WeightMap("Assignments of a digit's parts", plotting.WeightAxis{Of: "class capsule", Names: []string{"zero", "one"}},
		plotting.WeightAxis{Of: "part"}, [][]float64{{0.9, 0.2, 0.6}, {0.1, 0.8, 0.4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "assignments.png"))
	// Output: <nil>
}
