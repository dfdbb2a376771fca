package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleAttentionBars() {
	conformations := plotting.WeightAxis{Of: "conformation", Names: []string{"88_1+1", "88_1+2", "88_1+3"}}
	figure, err := plotting.AttentionBars("Which conformation decides", conformations, []plotting.AttentionWeights{
		{Name: "softmax", Weights: []float64{0.2, 0.5, 0.3}},
		{Name: "syn, I = 3", Weights: []float64{0.05, 0.85, 0.1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "attention.png"))
	// Output: <nil>
}
