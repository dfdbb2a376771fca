package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleImageShares() {
	black, white := []float64{1}, []float64{0}
	figure, err := plotting.ImageShares("Which pixel decides", 1, 1, []plotting.ImageBag{
		{Name: "A bag", Images: [][]float64{black, white}, Values: []float64{0.75, 0.25}, Winner: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "pixels.png"))
	// Output: <nil>
}
