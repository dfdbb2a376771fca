package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleAlignment() {
	source, target := []string{"the", "blue", "boat"}, []string{"le", "bateau", "bleu"}
	figure, err := plotting.Alignment("Adjectives change places", source, target, [][]float64{
		{0.90, 0.04, 0.06},
		{0.05, 0.10, 0.85},
		{0.02, 0.95, 0.03},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "alignment.png"))
	// Output: <nil>
}
