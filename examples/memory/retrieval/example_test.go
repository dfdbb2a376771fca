package retrieval_test

import (
	"fmt"
	"os"

	"synpool/examples/memory/retrieval"
)

func ExampleFigure1() {
	rows, err := retrieval.Figure1(2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows {
		if r.Case == "h" {
			fmt.Printf("%d %.3f\n", r.Update, r.Orders)
		}
	}
	// Output:
	// 0 [0.300 -0.700 0.500 0.100]
	// 1 [0.195 -0.621 0.372 0.060]
	// 2 [0.179 -0.761 0.375 0.053]
	// 1078 [0.000 -1.000 0.000 0.000]
}

func ExampleConvergence() {
	rows, err := retrieval.Convergence()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rows {
		if r.Gamma == 0.5 && r.N == 5 {
			fmt.Printf("%s: %d steps, rate %.4f, in theory %.4f\n", r.Direction, r.Steps, r.Rate, r.Theory)
		}
	}
	// Output:
	// forward: 23 steps, rate 0.5000, in theory 0.5000
	// inverse: 31 steps, rate 0.6342, in theory 0.6342
}

func ExampleWriteTable() {
	rows := []retrieval.CapacityRow{{Memory: "exponential", Components: 8, Measure: "one update", Patterns: 6, Theory: 6.66, Share: 0.9}}
	if err := retrieval.WriteTable(os.Stdout, rows); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Memory       Components  Measure     Patterns  Theory  Share
	// exponential  8           one update  6         6.66    0.9
}

func ExampleWriteCSV() {
	rows := []retrieval.CapacityRow{{Memory: "exponential", Components: 8, Measure: "one update", Patterns: 6, Theory: 6.66, Share: 0.9}}
	if err := retrieval.WriteCSV(os.Stdout, rows); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Memory,Components,Measure,Patterns,Theory,Share
	// exponential,8,one update,6,6.66,0.9
}
