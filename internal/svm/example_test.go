package svm_test

import (
	"context"
	"fmt"
	"log"

	"synpool/internal/svm"
)

// products is a kernel that is computed row by row: the squares of 1 + x z.
type products []float64

func (x products) Len() int { return len(x) }

func (x products) Diagonal(dst []float64) {
	for i, v := range x {
		dst[i] = (1 + v*v) * (1 + v*v)
	}
}

func (x products) Row(i int, dst []float64) {
	for j, v := range x {
		dst[j] = (1 + v*x[i]) * (1 + v*x[i])
	}
}

// Numbers far from 0 are positive, so no threshold separates the classes.
func Example() {
	x := products{-3, -2, -1, 0, 1, 2, 3}
	positive := []bool{true, true, false, false, false, true, true}
	s := svm.DefaultCSVC()
	s.C, s.Tolerance = 10, 1e-6
	m, err := s.Fit(context.Background(), x, positive, nil)
	if err != nil {
		log.Fatal(err)
	}
	row := make([]float64, len(x))
	for i := range x {
		x.Row(i, row)
		fmt.Printf("%2v: %5.2f\n", x[i], m.Decision(row))
	}
	// Output:
	// -3:  4.33
	// -2:  1.00
	// -1: -1.00
	//  0: -1.67
	//  1: -1.00
	//  2:  1.00
	//  3:  4.33
}

// Cross-validation fits parts of one matrix.
func ExampleSubset() {
	x := products{-3, -2, -1, 0, 1, 2, 3}
	values := make([]float64, len(x)*len(x))
	for i := range x {
		x.Row(i, values[i*len(x):][:len(x)])
	}
	k, err := svm.NewMatrix(values, len(x), len(x))
	if err != nil {
		log.Fatal(err)
	}
	positive := []bool{true, true, false, false, false, true, true}
	train := []int{0, 1, 2, 3, 5}
	part, err := svm.Subset(k, train)
	if err != nil {
		log.Fatal(err)
	}
	labels := make([]bool, len(train))
	for at, i := range train {
		labels[at] = positive[i]
	}
	m, err := svm.DefaultCSVC().Fit(context.Background(), part, labels, svm.Balanced(labels))
	if err != nil {
		log.Fatal(err)
	}
	row := make([]float64, len(train))
	for _, i := range []int{4, 6} { // those left out
		for at, j := range train {
			row[at] = values[i*len(x)+j]
		}
		fmt.Println(x[i], m.Decision(row) > 0)
	}
	// Output:
	// 1 false
	// 3 true
}

// A regression follows numbers up to the tube.
func ExampleSVR() {
	x := products{-3, -2, -1, 0, 1, 2, 3}
	targets := []float64{9, 4, 1, 0, 1, 4, 9}
	s := svm.DefaultSVR()
	s.C, s.Epsilon, s.Tolerance = 10, 0.5, 1e-6
	m, err := s.Fit(context.Background(), x, targets, nil)
	if err != nil {
		log.Fatal(err)
	}
	row := make([]float64, len(x))
	for i := range x {
		x.Row(i, row)
		fmt.Printf("%2v: %.2f\n", x[i], m.Decision(row))
	}
	// Output:
	// -3: 8.50
	// -2: 4.06
	// -1: 1.39
	//  0: 0.50
	//  1: 1.39
	//  2: 4.06
	//  3: 8.50
}

// An L1 penalty drops the features that do not help.
func ExampleFitLinear() {
	x := svm.Dense[float32]{Values: []float32{
		0, 1, 3,
		1, 0, 3,
		0, 0, 3,
		0, 1, 9,
		1, 0, 9,
		1, 1, 9,
	}, N: 6, Features: 3, Stride: 3}
	positive := []bool{false, false, false, true, true, true}
	s := svm.DefaultLinear()
	s.Penalty, s.InterceptScaling = svm.L1, 100
	h, err := svm.FitLinear(context.Background(), s, x, positive, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n", h.Weights)
	fmt.Println(svm.Decision(h, x.Values[:3]) > 0, svm.Decision(h, x.Values[15:]) > 0)
	// Output:
	// [0.00 0.00 0.32]
	// false true
}
