package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleImageBags() {
	stroke := []float64{
		0, 1, 0,
		0, 1, 0,
		0, 1, 0,
	}
	ring := []float64{
		1, 1, 1,
		1, 0, 1,
		1, 1, 1,
	}
	figure, err := plotting.ImageBags("Which digit decides", "weight", 3, 3, []plotting.ImageBag{
		{Name: "Bag 1, positive", Images: [][]float64{stroke, ring, stroke}, Values: []float64{0.1, 0.8, 0.1}, Winner: true, Labels: []string{"1", "0", "1"}},
		{Name: "Bag 2, negative", Images: [][]float64{stroke, stroke}, Values: []float64{0.5, 0.5}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "digits.png"))
	// Output: <nil>
}
