package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleWordShares() {
	figure, err := plotting.WordShares("What weighs", []plotting.Sentence{
		{Words: []string{"a", "lovely", "film"}, Weights: []float64{0.05, 0.85, 0.1}, Weight: 0.7},
		{Words: []string{"we", "went", "home"}, Weights: []float64{0.3, 0.4, 0.3}, Weight: 0.3},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "wordshares.png"))
	// Output: <nil>
}

func ExampleShareBars() {
	figure, err := plotting.ShareBars("Where a network looks", plotting.WeightAxis{Of: "cell"}, []plotting.AttentionWeights{{Weights: []float64{0.2, 0.5, 0.3}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "sharebars.png"))
	// Output: <nil>
}

func ExampleShareMap() {
	figure, err := plotting.ShareMap("A head", plotting.WeightAxis{Of: "query"}, plotting.WeightAxis{Of: "key"}, [][]float64{{0.9, 0.1}, {0.4, 0.6}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "sharemap.png"))
	// Output: <nil>
}
