package stats_test

import (
	"fmt"

	"synpool/milbench/stats"
)

var (
	labels = []int{0, 0, 1, 0, 1, 1}
	logits = []float64{-2, -1, -0.5, 0.5, 1, 2}
)

func ExampleAUC() {
	auc, err := stats.AUC(labels, logits)
	fmt.Printf("%.4f %v\n", auc, err)
	_, err = stats.AUC([]int{1, 1}, []float64{0.2, 0.9})
	fmt.Println(err)
	// Output:
	// 0.8889 <nil>
	// only one class is there: 0 negative and 2 positive
}

func ExampleDeLong() {
	auc, se, err := stats.DeLong(labels, logits)
	fmt.Printf("%.4f +- %.4f %v\n", auc, se, err)
	// Output: 0.8889 +- 0.1571 <nil>
}

func ExampleAveragePrecision() {
	ap, err := stats.AveragePrecision(labels, logits)
	fmt.Printf("%.4f %v\n", ap, err)
	// Output: 0.9167 <nil>
}

func ExampleAccuracy() {
	accuracy, err := stats.Accuracy(labels, logits)
	fmt.Printf("%.4f %v\n", accuracy, err)
	// Output: 0.6667 <nil>
}

func ExampleBalancedAccuracy() {
	accuracy, err := stats.BalancedAccuracy([]int{0, 0, 0, 1}, []float64{-1, -1, -1, -1})
	fmt.Printf("%.4f %v\n", accuracy, err)
	// Output: 0.5000 <nil>
}

func ExampleLogLoss() {
	loss, err := stats.LogLoss(labels, logits)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 0.4714 <nil>
}

func ExampleSD() {
	sd, err := stats.SD([]float64{0.90, 0.92, 0.91})
	fmt.Printf("%.4f %v\n", sd, err)
	// Output: 0.0100 <nil>
}

func ExampleMeanInterval() {
	mean, low, high, err := stats.MeanInterval([]float64{0.90, 0.92, 0.91}, 0.95)
	fmt.Printf("%.4f (%.4f to %.4f) %v\n", mean, low, high, err)
	// Output: 0.9100 (0.8852 to 0.9348) <nil>
}
