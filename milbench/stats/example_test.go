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

// Four methods on five sets.
var aucs = [][]float64{
	{0.92, 0.90, 0.85, 0.80},
	{0.88, 0.89, 0.84, 0.79},
	{0.75, 0.70, 0.71, 0.65},
	{0.97, 0.95, 0.91, 0.93},
	{0.84, 0.83, 0.80, 0.78},
}

func ExampleRanks() {
	fmt.Println(stats.Ranks([]float64{0.5, 0.2, 0.5, 0.9}))
	// Output: [2.5 1 2.5 4]
}

func ExampleAverageRanks() {
	ranks, err := stats.AverageRanks(aucs)
	fmt.Println(ranks, err)
	// Output: [1.2 2 3 3.8] <nil>
}

func ExampleFriedman() {
	found, err := stats.Friedman(aucs)
	fmt.Printf("chi square %.2f (p %.4f), F %.2f (p %.5f) %v\n", found.ChiSquare, found.ChiSquareP, found.F, found.FP, err)
	// Output: chi square 11.64 (p 0.0087), F 13.86 (p 0.00033) <nil>
}

func ExampleNemenyiDifference() {
	difference, err := stats.NemenyiDifference(4, 5, 0.05)
	fmt.Printf("%.3f %v\n", difference, err)
	// Output: 2.098 <nil>
}

func ExampleHolm() {
	adjusted, err := stats.Holm([]float64{0.01, 0.04, 0.03, 0.005})
	fmt.Println(adjusted, err)
	// Output: [0.03 0.06 0.06 0.02] <nil>
}

func ExampleBenjaminiHochberg() {
	adjusted, err := stats.BenjaminiHochberg([]float64{0.01, 0.04, 0.03, 0.005})
	fmt.Printf("%.3g %v\n", adjusted, err)
	// Output: [0.02 0.04 0.04 0.02] <nil>
}

func ExampleWilcoxon() {
	syn, softmax := []float64{0.92, 0.88, 0.75, 0.97, 0.84, 0.91}, []float64{0.90, 0.89, 0.70, 0.93, 0.825, 0.88}
	found, err := stats.Wilcoxon(syn, softmax)
	fmt.Printf("%d pairs, rank sums %v and %v, p %.4f %v\n", found.N, found.Positive, found.Negative, found.P, err)
	// Output: 6 pairs, rank sums 20 and 1, p 0.0625 <nil>
}

func ExampleCorrectedT() {
	// AUC of two methods on each of 4 folds.
	found, err := stats.CorrectedT([]float64{0.92, 0.90, 0.95, 0.91}, []float64{0.90, 0.89, 0.91, 0.90}, 1.0/3)
	fmt.Printf("difference %.3f, t %.2f, p %.3f %v\n", found.Difference, found.T, found.P, err)
	// Output: difference 0.020, t 1.85, p 0.161 <nil>
}

func ExampleSilhouette() {
	s, err := stats.Silhouette([][]float64{{0, 0}, {0, 1}, {6, 0}, {6, 1}}, []int{0, 0, 1, 1})
	fmt.Printf("%.3f %v\n", s, err)
	// Output: 0.834 <nil>
}

func ExampleShareInterval() {
	low, high, err := stats.ShareInterval(12, 15, 0.95)
	fmt.Printf("80 %% of 15 sets: %.0f %% to %.0f %% %v\n", 100*low, 100*high, err)
	// Output: 80 % of 15 sets: 52 % to 96 % <nil>
}

func ExampleKendall() {
	tau, err := stats.Kendall([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 2})
	fmt.Printf("%.3f %v\n", tau, err)
	// Output: 0.183 <nil>
}

func ExampleBayesCorrelatedT() {
	// AUC of two methods on each of 4 folds, where a difference of 0.01 does not matter.
	p, err := stats.BayesCorrelatedT([]float64{0.92, 0.90, 0.95, 0.91}, []float64{0.90, 0.89, 0.91, 0.90}, 1.0/3, 0.01)
	fmt.Printf("better %.3f, equal %.3f, worse %.3f %v\n", p.Better, p.Equal, p.Worse, err)
	// Output: better 0.789, equal 0.177, worse 0.035 <nil>
}

func ExampleBayesSignedRank() {
	// Mean AUC of the first two methods on each of five sets.
	var a, b []float64
	for _, set := range aucs {
		a, b = append(a, set[0]), append(b, set[1])
	}
	p, err := stats.DefaultBayesSignedRank().Compare(a, b, 1)
	fmt.Printf("better %.2f, equal %.2f, worse %.2f %v\n", p.Better, p.Equal, p.Worse, err)
	// Output: better 0.87, equal 0.11, worse 0.01 <nil>
}

func ExampleDefaultBayesSignedRank() {
	test := stats.DefaultBayesSignedRank()
	test.Rope = 0.02
	fmt.Printf("%+v\n", test)
	// Output: {Rope:0.02 Prior:0.5 Samples:50000}
}
