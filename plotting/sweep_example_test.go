package plotting_test

import (
	"fmt"

	"synpool/plotting"
)

func ExampleSweep() {
	figure, err := plotting.Sweep("Concentration and distraction", "Syn steps I", plotting.Linear, []plotting.SweepCurve{
		{Name: "elephant", X: []float64{-3, 0, 3}, Mean: []float64{0.92, 0.93, 0.91}, Low: []float64{0.90, 0.91, 0.89}, High: []float64{0.94, 0.95, 0.93}},
		{Name: "fox", X: []float64{-3, 0, 3}, Mean: []float64{0.63, 0.64, 0.66}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "sweep.png"))
	// Output: <nil>
}
