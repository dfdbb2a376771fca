package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleWords() {
	figure, err := plotting.Words("What makes a review positive", []plotting.Sentence{
		{Words: []string{"the", "soup", "was", "excellent"}, Weights: []float64{0.02, 0.13, 0.05, 0.8}, Weight: 0.9},
		{Words: []string{"we", "came", "by", "bus"}, Weights: []float64{0.25, 0.25, 0.25, 0.25}, Weight: 0.1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "words.png"))
	// Output: <nil>
}
