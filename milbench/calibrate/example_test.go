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
