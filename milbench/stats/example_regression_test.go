package stats_test

import (
	"fmt"

	"synpool/milbench/stats"
)

// Real targets of five bags, and the predictions of a model.
var (
	targets     = []float64{1, 2, 3, 4, 5}
	predictions = []float64{1.5, 1, 3, 5, 4.5}
)

func ExampleR2() {
	r2, err := stats.R2(targets, predictions)
	fmt.Printf("%.4f %v\n", r2, err)
	_, err = stats.R2([]float64{3, 3}, []float64{3, 4})
	fmt.Println(err)
	// Output:
	// 0.7500 <nil>
	// all values are equal: R² of 2 targets
}

func ExampleMAE() {
	mae, err := stats.MAE(targets, predictions)
	fmt.Printf("%.4f %v\n", mae, err)
	// Output: 0.6000 <nil>
}

func ExampleRMSE() {
	rmse, err := stats.RMSE(targets, predictions)
	fmt.Printf("%.4f %v\n", rmse, err)
	// Output: 0.7071 <nil>
}

func ExampleSpearman() {
	rho, err := stats.Spearman(targets, predictions)
	fmt.Printf("%.4f %v\n", rho, err)
	// Output: 0.8000 <nil>
}
