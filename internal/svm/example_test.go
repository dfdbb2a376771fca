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
