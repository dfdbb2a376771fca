package stats_test

import (
	"fmt"
	"math"

	"synpool/milbench/stats"
)

// Logits for three grades, for five bags.
var (
	grades      = []int{0, 0, 1, 2, 2}
	gradeLogits = [][]float64{{2, 1, -1}, {0, 1, -2}, {0, 2, 1}, {-1, 0, 2}, {-1, 1, 1}}
)

func ExampleMulticlassAUC() {
	auc, err := stats.MulticlassAUC(grades, gradeLogits)
	fmt.Printf("%.4f %v\n", auc, err)
	// Output: 0.9167 <nil>
}

func ExampleMulticlassAccuracy() {
	accuracy, err := stats.MulticlassAccuracy(grades, gradeLogits)
	fmt.Printf("%.4f %v\n", accuracy, err)
	// Output: 0.6000 <nil>
}

func ExampleMulticlassBalancedAccuracy() {
	accuracy, err := stats.MulticlassBalancedAccuracy(grades, gradeLogits)
	fmt.Printf("%.4f %v\n", accuracy, err)
	// Output: 0.6667 <nil>
}

func ExampleMulticlassLogLoss() {
	loss, err := stats.MulticlassLogLoss(grades, gradeLogits)
	fmt.Printf("%.4f %v\n", loss, err)
	// Output: 0.6068 <nil>
}

func ExamplePredictedClasses() {
	predicted, err := stats.PredictedClasses(gradeLogits)
	fmt.Println(predicted, err)
	// Output: [0 1 1 2 1] <nil>
}

func ExampleConfusion() {
	matrix, err := stats.Confusion(grades, []int{0, 1, 1, 2, 1}, 3)
	for label, row := range matrix {
		fmt.Println(label, row)
	}
	fmt.Println(err)
	// Output:
	// 0 [1 1 0]
	// 1 [0 1 0]
	// 2 [0 1 1]
	// <nil>
}

func ExampleKappa() {
	kappa, err := stats.Kappa(grades, []int{0, 1, 1, 2, 1}, 3)
	fmt.Printf("%.4f %v\n", kappa, err)
	// Output: 0.6667 <nil>
}

func ExampleLogOdds() {
	logits := []float64{2, 0, 0}
	p := math.Exp(2) / (math.Exp(2) + 2)
	fmt.Printf("%.4f %.4f", stats.LogOdds(logits, 0), math.Log(p/(1-p)))
	// Output: 1.3069 1.3069
}
