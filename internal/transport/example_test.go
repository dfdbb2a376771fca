package transport_test

import (
	"fmt"

	"synpool/internal/transport"
)

func ExampleSolver_Distance() {
	cost := []float64{
		1, 3, 5,
		4, 1, 2,
	}
	var s transport.Solver
	distance, err := s.Distance(cost, 2, 3, nil, []float64{0.25, 0.25, 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(distance)
	// Output: 2
}

func ExampleSolver_Plan() {
	var s transport.Solver
	if _, err := s.Distance([]float64{0, 2, 2, 0}, 2, 2, []float64{0.75, 0.25}, nil); err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range s.Plan(nil) {
		fmt.Printf("%.2f from %d to %d\n", f.Mass, f.Row, f.Col)
	}
	// Unordered output:
	// 0.50 from 0 to 0
	// 0.25 from 0 to 1
	// 0.25 from 1 to 1
}
