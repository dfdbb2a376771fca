package retrieval_test

import (
	"fmt"

	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/memory/retrieval"
)

func ExampleFigure1() {
	for _, r := range fittest.Must(retrieval.Figure1(2)) {
		if r.Case == "h" {
			if r.Update <= 2 {
				fmt.Print(r.Update)
			} else {
				fmt.Print("last")
			}
			fmt.Printf(" %.3f\n", r.Orders)
		}
	}
	// Output:
	// 0 [0.300 -0.700 0.500 0.100]
	// 1 [0.195 -0.621 0.372 0.060]
	// 2 [0.179 -0.761 0.375 0.053]
	// last [0.000 -1.000 0.000 0.000]
}

func ExampleConvergence() {
	for _, r := range fittest.Must(retrieval.Convergence()) {
		if r.Gamma == 0.5 && r.N == 5 {
			fmt.Printf("%s: %d steps, rate %.4f, in theory %.4f\n", r.Direction, r.Steps, r.Rate, r.Theory)
		}
	}
	// Output:
	// forward: 23 steps, rate 0.5000, in theory 0.5000
	// inverse: 31 steps, rate 0.6342, in theory 0.6342
}
