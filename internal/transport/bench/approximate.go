package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"synpool/internal/transport"
)

// draws is the number of pairs of bags in a row of the table.
const draws = 5

// approximate prints a table of the error of transport.Approximate on generated bags.
func approximate(out io.Writer) error {
	fmt.Fprintf(out, "| bags | instances | features | mean error, %% | largest error, %% | bound, %% | exact, ms | coarsen a bag, ms | distance, ms |\n|:--|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, kind := range []string{"normal", "clusters"} {
		for _, n := range []int{500, 1000, 2000} {
			for _, f := range []int{2, 20, 230} {
				var sum, largest, bounds float64
				var exactly, coarsen, solve []float64
				for seed := range uint64(draws) {
					r := rand.New(rand.NewPCG(seed, 1))
					x, y := generate(r, kind, n, f)
					var s transport.Solver
					start := time.Now()
					exact, err := s.Between(transport.Euclidean, x, y, f, nil, nil)
					if err != nil {
						return err
					}
					exactly = append(exactly, ms(start))
					start = time.Now()
					cx, err := transport.Coarsen(transport.Euclidean, x, f, transport.Limit)
					if err != nil {
						return err
					}
					coarsen = append(coarsen, ms(start))
					cy, err := transport.Coarsen(transport.Euclidean, y, f, transport.Limit)
					if err != nil {
						return err
					}
					start = time.Now()
					d, bound, err := s.Approximate(cx, cy)
					if err != nil {
						return err
					}
					solve = append(solve, ms(start))
					e := 100 * (d/exact - 1)
					sum += e
					if math.Abs(e) > math.Abs(largest) {
						largest = e
					}
					bounds += 100 * bound / exact
				}
				fmt.Fprintf(out, "| %s | %d | %d | %+.1f | %+.1f | %.0f | %.0f | %.0f | %.0f |\n", kind, n, f, sum/draws, largest, bounds/draws, median(exactly), median(coarsen), median(solve))
			}
		}
	}
	return nil
}

// generate draws two bags. Normal: standard normal features; the second bag is shifted by 0.2 in each. Clusters: 20 normal
// centres with a standard deviation of 0.3 around them; half of the instances are drawn from five of the centres; ten
// centres of the second bag are shifted by 0.3.
func generate(r *rand.Rand, kind string, n, f int) (x, y []float64) {
	centres := make([]float64, 20*f)
	if kind == "clusters" {
		for i := range centres {
			centres[i] = r.NormFloat64()
		}
	}
	bag := func() []float64 {
		rows := make([]float64, 0, n*f)
		for range n {
			c := r.IntN(20)
			if r.IntN(2) == 0 {
				c %= 5
			}
			for j := range f {
				if kind == "clusters" {
					rows = append(rows, centres[c*f+j]+0.3*r.NormFloat64())
				} else {
					rows = append(rows, centres[j]+r.NormFloat64())
				}
			}
		}
		return rows
	}
	x = bag()
	for i := range 10 * f {
		centres[i] += map[string]float64{"normal": 0.2, "clusters": 0.3}[kind]
	}
	return x, bag()
}

func ms(start time.Time) float64 { return float64(time.Since(start).Microseconds()) / 1e3 }

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
