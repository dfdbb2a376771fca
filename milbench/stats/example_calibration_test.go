package stats_test

import (
	"fmt"

	"synpool/milbench/stats"
)

// Probabilities of the positive class for eight bags.
var (
	positive      = []int{0, 0, 0, 1, 0, 1, 1, 1}
	probabilities = []float64{0.05, 0.1, 0.2, 0.3, 0.6, 0.7, 0.8, 0.95}
)

func ExampleBrierScore() {
	brier, err := stats.BrierScore(positive, probabilities)
	fmt.Printf("%.4f %v\n", brier, err)
	_, err = stats.BrierScore([]int{0, 1}, []float64{-2, 3})
	fmt.Println(err)
	// Output:
	// 0.1294 <nil>
	// probability at 0 is -2; it must be 0 to 1, not a logit
}

func ExampleEqualWidthBins() {
	bins, err := stats.EqualWidthBins(positive, probabilities, 4)
	for _, b := range bins {
		fmt.Printf("%.2f to %.2f: %d bags, probability %.3f, %.3f are positive\n", b.Low, b.High, b.N, b.Probability, b.Positive)
	}
	fmt.Println(err)
	// Output:
	// 0.00 to 0.25: 3 bags, probability 0.117, 0.000 are positive
	// 0.25 to 0.50: 1 bags, probability 0.300, 1.000 are positive
	// 0.50 to 0.75: 2 bags, probability 0.650, 0.500 are positive
	// 0.75 to 1.00: 2 bags, probability 0.875, 1.000 are positive
	// <nil>
}

func ExampleCalibrationError() {
	bins, err := stats.EqualWidthBins(positive, probabilities, 4)
	if err != nil {
		fmt.Println(err)
		return
	}
	ece, err := stats.CalibrationError(bins)
	fmt.Printf("%.4f %v\n", ece, err)
	// Output: 0.2000 <nil>
}
