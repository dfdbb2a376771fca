package calibrate_test

import (
	"encoding/json"
	"fmt"

	"synpool/milbench/calibrate"
)

// Margins of a support vector machine on held-out bags, and their labels.
var (
	labels  = []int{0, 0, 1, 0, 0, 1, 1, 0, 1, 1}
	margins = [][]float64{{-0.9}, {-0.7}, {-0.6}, {-0.4}, {-0.1}, {0.1}, {0.2}, {0.3}, {0.8}, {1.1}}
)

func ExampleFit() {
	for _, method := range calibrate.Methods {
		c, err := calibrate.Fit(method, 2, labels, margins)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := c.Probabilities([]float64{0.5})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %.2f, %s\n", method, p[0], c.Formula())
	}
	// Output:
	// temperature: 0.76, 1/(1+exp(-z/0.4309)) of a score z
	// platt: 0.68, 1/(1+exp(-(1.435 z +0.04429))) of a score z
	// isotonic: 0.80, between 8 points that rise with the score
}

// Store a calibration as JSON. It gives the same probabilities when read back.
func ExampleCalibration() {
	c, err := calibrate.Fit(calibrate.Temperature, 2, labels, margins)
	if err != nil {
		fmt.Println(err)
		return
	}
	c.T = 0.5
	text, err := json.Marshal(c)
	fmt.Println(string(text), err)
	var read calibrate.Calibration
	fmt.Println(json.Unmarshal(text, &read))
	// Output:
	// {"method":"temperature","classes":2,"bags":10,"temperature":0.5} <nil>
	// <nil>
}

// The fold of a bag does not influence its probability, so the figures estimate those for new bags.
func ExampleCrossFit() {
	fold := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	probabilities, err := calibrate.CrossFit(calibrate.Platt, 2, labels, margins, fold)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := calibrate.Judge(labels, probabilities, 5)
	fmt.Printf("%d bags: Brier score %.3f, log-loss %.3f, ECE %.3f, by chance alone %.3f, %v\n", f.Bags, f.Brier, f.LogLoss, f.ECE, f.Chance, err)
	// Output:
	// 10 bags: Brier score 0.228, log-loss 0.646, ECE 0.119, by chance alone 0.248, <nil>
}

func ExampleJudge() {
	certain := [][]float64{{0}, {0.25}, {0.25}, {1}}
	f, err := calibrate.Judge([]int{0, 0, 1, 1}, certain, calibrate.DefaultBins)
	fmt.Printf("Brier score %.3f, log-loss %.3f, %v\n", f.Brier, f.LogLoss, err)
	for _, b := range f.Bins {
		fmt.Printf("n = %d, probability %.2f, share of positives %.2f\n", b.N, b.Probability, b.Positive)
	}
	// Output:
	// Brier score 0.156, log-loss 0.418, <nil>
	// n = 1, probability 0.00, share of positives 0.00
	// n = 2, probability 0.25, share of positives 0.50
	// n = 1, probability 1.00, share of positives 1.00
}

func ExampleUncalibrated() {
	fmt.Printf("%.2f %.2f\n", calibrate.Uncalibrated([]float64{2}), calibrate.Uncalibrated([]float64{1, 0, -1}))
	// Output:
	// [0.88] [0.67 0.24 0.09]
}

func ExampleParseMethod() {
	_, err := calibrate.ParseMethod("isotonik")
	fmt.Println(err)
	// Output:
	// "isotonik": no such calibration; did you mean "isotonic"?
}

// The ECE is below the chance level of a perfect model with ten bags, so it says nothing here.
func ExampleLearn() {
	fold := []int{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}
	l, err := calibrate.Learn(calibrate.Platt, 2, labels, margins, fold)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range []calibrate.Figures{l.Before, l.After} {
		fmt.Printf("Brier score %.3f, ECE %.2f, of a perfect model %.2f\n", f.Brier, f.ECE, f.Chance)
	}
	// Output:
	// Brier score 0.191, ECE 0.24, of a perfect model 0.31
	// Brier score 0.228, ECE 0.21, of a perfect model 0.30
}

// With five held-out bags of each class, sets have a level of at most 5/6. A bag in the middle may be of both classes.
func ExampleFitSets() {
	c, err := calibrate.FitSets(0.8, 2, labels, margins, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, score := range []float64{-1, 0, 1.2} {
		p, err := c.PValues([]float64{score})
		if err != nil {
			fmt.Println(err)
			return
		}
		set, err := c.Set([]float64{score})
		fmt.Printf("score %4.1f: p-values %.2f, set %v, %v\n", score, p, set, err)
	}
	// Output:
	// score -1.0: p-values [1.00 0.17], set [0], <nil>
	// score  0.0: p-values [0.33 0.33], set [0 1], <nil>
	// score  1.2: p-values [0.17 1.00], set [1], <nil>
}

// Bags 0 and 1 are of one patient and count half each: of four patients, an interval of level 0.8 has to have all errors.
func ExampleFitIntervals() {
	targets, predictions := []float64{3, 4, 7, 1, 5}, []float64{2.5, 4.25, 6, 1.5, 5.75}
	for _, level := range []float64{0.5, 0.8, 0.9} {
		c, err := calibrate.FitIntervals(level, targets, predictions, [][]int{{0, 1}, {2}, {3}, {4}})
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("level %g: prediction ± %g\n", level, c.HalfWidth())
	}
	// Output:
	// level 0.5: prediction ± 0.75
	// level 0.8: prediction ± 1
	// 4 bags or groups; an interval of level 0.9 needs at least 9
}
