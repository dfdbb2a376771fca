package retrieval

import (
	"fmt"
	"math"

	"synpool/course/memory"
)

// StepsRow describes the convergence of Syn steps from weights in the ratio 1 : 2 : ... : N.
type StepsRow struct {
	Direction string // forward, to one-hot, or inverse, to equal weights
	Gamma     float64
	N         int
	Steps     int     // number of steps until the normalised weights are within 1e-6 of their limit
	Rate      float64 // factor of the distance to the limit in the last of these steps
	Theory    float64 // limit of the rate; 0 for cubic convergence
}

// Convergence iterates Syn steps to their limits for several γ and numbers of weights.
func Convergence() ([]StepsRow, error) {
	var table []StepsRow
	for _, forward := range []bool{true, false} {
		for _, gamma := range []float64{0.1, 0.5, 0.9, 1} {
			for _, n := range []int{2, 5, 20, 100} {
				row, err := converge(forward, memory.Syn{Gamma: gamma}, n)
				if err != nil {
					return nil, err
				}
				table = append(table, row)
			}
		}
	}
	return table, nil
}

func converge(forward bool, s memory.Syn, n int) (StepsRow, error) {
	row := StepsRow{Direction: "inverse", Gamma: s.Gamma, N: n}
	weights, limit := make([]float64, n), make([]float64, n)
	for i := range weights {
		weights[i], limit[i] = float64(i+1), 1/math.Sqrt(float64(n))
	}
	step, rate, equal := s.Inverse, s.InverseRate, n
	if forward {
		row.Direction, step, rate, equal = "forward", s.Forward, s.ForwardRate, 1
		clear(limit)
		limit[n-1] = 1
	}
	var err error
	if row.Theory, err = rate(equal); err != nil {
		return row, err
	}
	distance := func() float64 {
		norm, far := 0.0, 0.0
		for _, w := range weights {
			norm = math.Hypot(norm, w)
		}
		for i, w := range weights {
			far = math.Hypot(far, w/norm-limit[i])
		}
		return far
	}
	const most = 1_000_000
	for last := distance(); last > 1e-6; row.Steps++ {
		if row.Steps == most {
			return row, fmt.Errorf("retrieval: %s steps of %d weights at gamma %v are at %g from their limit after %d", row.Direction, n, s.Gamma, last, most)
		}
		if weights, err = step(weights); err != nil {
			return row, err
		}
		next := distance()
		row.Rate, last = next/last, next
	}
	return row, nil
}

// OrderRow is one step of a case of figure 1.
type OrderRow struct {
	Case   string
	Title  string
	Update int
	Orders []float64 // order parameters
}

// Figure1 returns the order parameters in the cases of figure 1: at most the given number of updates of each case, and the
// last one.
func Figure1(updates int) ([]OrderRow, error) {
	cases, err := memory.Figure1()
	if err != nil {
		return nil, err
	}
	var table []OrderRow
	for _, c := range cases {
		for i, order := range c.Orders {
			if i <= updates || i == len(c.Orders)-1 {
				table = append(table, OrderRow{c.Name, c.Title, i, order})
			}
		}
	}
	return table, nil
}
