package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleScaling() {
	figure, err := plotting.Scaling("A study on a cluster", []plotting.ScalingCurve{
		{Name: "1,000 fits", Nodes: []float64{1, 2, 4, 8}, Hours: []float64{2, 1.1, 0.9, 0.85}, Stops: 4},
		{Name: "10,000 fits", Nodes: []float64{1, 2, 4, 8}, Hours: []float64{20, 10.2, 5.3, 2.9}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "scaling.png"))
	// Output: <nil>
}
