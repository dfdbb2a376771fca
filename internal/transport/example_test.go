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

func ExampleSolver_Between() {
	x := []float64{0, 0, 1, 0} // (0, 0) and (1, 0)
	y := []float64{1, 1, 0, 1} // (1, 1) and (0, 1)
	var s transport.Solver
	for _, metric := range []transport.Metric{transport.Euclidean, transport.CityBlock} {
		distance, err := s.Between(metric, x, y, 2, nil, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(metric, distance)
	}
	// Output:
	// Euclidean 1
	// city-block 1
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

func ExampleSolver_Potentials() {
	var s transport.Solver
	a, b := []float64{0.75, 0.25}, []float64{0.5, 0.5}
	distance, err := s.Distance([]float64{0, 2, 2, 0}, 2, 2, a, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	u, v := s.Potentials()
	dual := 0.0
	for i := range u {
		dual += a[i]*u[i] + b[i]*v[i]
	}
	fmt.Println(distance, dual)
	// Output: 0.5 0.5
}

func ExampleCosts() {
	costs, err := transport.Costs(nil, transport.CityBlock, []float64{0, 0, 3, 4}, []float64{0, 0}, 2)
	fmt.Println(costs, err)
	// Output: [0 7] <nil>
}

func ExampleCoarsen() {
	x := make([]float64, 1000) // 0, 0.001, ..., 0.999
	y := make([]float64, 1000) // the same, moved by 2
	for i := range x {
		x[i] = float64(i) / 1000
		y[i] = x[i] + 2
	}
	cx, err := transport.Coarsen(transport.Euclidean, x, 1, nil, 50)
	if err != nil {
		fmt.Println(err)
		return
	}
	cy, err := transport.Coarsen(transport.Euclidean, y, 1, nil, 50)
	if err != nil {
		fmt.Println(err)
		return
	}
	var s transport.Solver
	distance, bound, err := s.Approximate(cx, cy)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d representatives: %.2f, error at most %.2f\n", len(cx.Weights), distance, bound)
	// Output: 50 representatives: 2.00, error at most 0.01
}
