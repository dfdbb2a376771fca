package stats_test

import (
	"fmt"

	"synpool/milbench/stats"
)

// Months of follow-up of six patients, whether they died, and the risk predicted by a model.
var (
	months = []float64{4, 7, 9, 12, 15, 20}
	deaths = []bool{true, true, false, true, false, false}
	risks  = []float64{2, 0.5, 1, 0.8, -1, -0.5}
)

func ExampleConcordance() {
	c, err := stats.Concordance(months, deaths, risks)
	fmt.Printf("%.4f %v\n", c, err)
	_, err = stats.Concordance([]float64{4, 7}, []bool{false, false}, []float64{1, 2})
	fmt.Println(err)
	// Output:
	// 0.8182 <nil>
	// no event was seen: all 2 bags are censored
}

func ExampleKaplanMeier() {
	curve, err := stats.KaplanMeier(months, deaths)
	fmt.Println(curve.Times)
	fmt.Printf("%.4f %v\n", curve.Survival, err)
	// Output:
	// [4 7 9 12 15 20]
	// [0.8333 0.6667 0.6667 0.4444 0.4444 0.4444] <nil>
}

func ExampleCensoringCurve() {
	curve, err := stats.CensoringCurve(months, deaths)
	fmt.Printf("%.4f %v\n", curve.Survival, err)
	// Output: [1.0000 1.0000 0.7500 0.7500 0.3750 0.0000] <nil>
}

func ExampleCumulativeAUC() {
	// The training part of the fold gives the distribution of censoring.
	censoring, err := stats.CensoringCurve([]float64{3, 6, 8, 10, 14, 18, 24}, []bool{true, false, true, true, false, true, false})
	if err != nil {
		fmt.Println(err)
		return
	}
	aucs, mean, err := stats.CumulativeAUC(censoring, months, deaths, risks, []float64{6, 10})
	fmt.Printf("%.4f, mean %.4f %v\n", aucs, mean, err)
	// Output: [1.0000 0.8182], mean 0.9091 <nil>
}

// Probabilities that the six patients survive for more than 6 and more than 12 months.
var lives = [][]float64{{0.4, 0.1}, {0.7, 0.5}, {0.6, 0.4}, {0.7, 0.4}, {0.9, 0.8}, {0.8, 0.7}}

func ExampleIntegratedBrier() {
	censoring, err := stats.CensoringCurve(months, deaths)
	if err != nil {
		fmt.Println(err)
		return
	}
	brier, err := stats.IntegratedBrier(censoring, months, deaths, lives, []float64{6, 12})
	fmt.Printf("%.4f %v\n", brier, err)
	// Output: 0.0997 <nil>
}

func ExampleLogRank() {
	highRisk := []int{1, 1, 1, 0, 0, 0}
	test, err := stats.LogRank(months, deaths, highRisk)
	fmt.Printf("groups %v: %v events, %.2f expected\n", test.Groups, test.Observed, test.Expected)
	fmt.Printf("chi square %.2f, %d degree of freedom, p %.3f %v\n", test.ChiSquare, test.Degrees, test.P, err)
	// Output:
	// groups [0 1]: [1 2] events, [2.10 0.90] expected
	// chi square 2.47, 1 degree of freedom, p 0.116 <nil>
}
