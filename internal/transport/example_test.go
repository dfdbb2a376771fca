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
