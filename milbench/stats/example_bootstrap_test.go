package stats_test

import (
	"fmt"

	"synpool/milbench/stats"
)

// Patients have several bags each; bags of one patient are drawn together.
func ExampleBootstrap() {
	labels := []int{0, 0, 0, 0, 1, 1, 1, 1}
	scores := []float64{-2, -1, 0.5, -0.5, 0.2, 1, 2, 3}
	patients := [][]int{{0, 1}, {2}, {3}, {4, 5}, {6}, {7}}
	low, high, _, err := stats.Bootstrap(patients, 2000, 0.95, 1, func(bags []int) (float64, error) {
		var y []int
		var s []float64
		for _, i := range bags {
			y, s = append(y, labels[i]), append(s, scores[i])
		}
		return stats.AUC(y, s)
	})
	fmt.Printf("%.2f to %.2f %v\n", low, high, err)
	// Output: 0.67 to 1.00 <nil>
}

func ExampleThresholdAt() {
	labels := []int{0, 0, 0, 0, 0, 1, 1, 1, 1}
	scores := []float64{-2, -1, 0.5, -0.5, 1.5, 0.2, 1, 2, 3}
	threshold, sensitivity, specificity, err := stats.ThresholdAt(labels, scores, 0.8)
	fmt.Println(threshold, sensitivity, specificity, err)
	// Output: 0.75 0.75 0.8 <nil>
}

func ExampleSensitivitySpecificity() {
	fmt.Println(stats.SensitivitySpecificity([]int{0, 0, 1, 1}, []float64{-1, 2, 1, 3}, 1.5))
	// Output: 0.5 0.5 <nil>
}
