package transport

import (
	"fmt"
	"math"
	"testing"

	"synpool/internal/goldenfile"
)

// goldenTolerance is the tolerance of a distance: POT also has rounding errors.
const goldenTolerance = 1e-9

// TestGolden compares with ot.emd2 of POT.
func TestGolden(t *testing.T) {
	golden := goldenfile.Read[struct {
		Cases []struct {
			Name, Metric string
			Features     int
			X, Y, A, B   []float64
			Distance     float64
		}
		Formulas []struct {
			N, M, P, Q, R int
			Weighted      bool
			Distance      float64
		}
	}](t, "transport.json")
	if len(golden.Cases) != 264 || len(golden.Formulas) != 10 {
		t.Fatalf("%d cases and %d formulas", len(golden.Cases), len(golden.Formulas))
	}
	metrics := map[string]Metric{Euclidean.String(): Euclidean, CityBlock.String(): CityBlock}
	var s Solver
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			got, err := s.Between(metrics[c.Metric], c.X, c.Y, c.Features, c.A, c.B)
			if err != nil || !(math.Abs(got-c.Distance) <= goldenTolerance) {
				t.Fatalf("distance %v (%v), want %v", got, err, c.Distance)
			}
			certify(t, &s, s.cost, c.A, c.B, got)
		})
	}
	for _, f := range golden.Formulas {
		t.Run(fmt.Sprintf("%d x %d mod %d, weighted %t", f.N, f.M, f.R, f.Weighted), func(t *testing.T) {
			cost := make([]float64, 0, f.N*f.M)
			for i := range f.N {
				for j := range f.M {
					cost = append(cost, float64((i*f.P+j*f.Q+i*j)%f.R))
				}
			}
			var a, b []float64
			if f.Weighted {
				a, b = make([]float64, f.N), make([]float64, f.M)
				sumA, sumB := 0.0, 0.0
				for i := range a {
					a[i] = float64(i + 1)
					sumA += a[i]
				}
				for j := range b {
					b[j] = float64(1 + j*5%11)
					sumB += b[j]
				}
				scale(a, 1/sumA)
				scale(b, 1/sumB)
			}
			got, err := s.Distance(cost, f.N, f.M, a, b)
			if err != nil || !(math.Abs(got-f.Distance) <= goldenTolerance*max(1, f.Distance)) {
				t.Fatalf("distance %v (%v), want %v", got, err, f.Distance)
			}
			certify(t, &s, cost, a, b, got)
		})
	}
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}

// certify checks the proof that a distance is the least: a plan with the right sums, potentials below the costs, and
// one value of both.
func certify(t *testing.T, s *Solver, cost, a, b []float64, distance float64) {
	t.Helper()
	n, m := s.n, s.m
	cost = cost[:n*m]
	top := 1e-300
	for _, c := range cost {
		top = max(top, math.Abs(c))
	}
	weight := func(w []float64, i, n int) float64 {
		if w == nil {
			return 1 / float64(n)
		}
		return w[i]
	}
	mass, rows, cols := 0.0, make([]float64, n), make([]float64, m)
	u, v := s.u, s.v
	primal, dual := 0.0, 0.0
	flows := 0
	for i, k := range s.nodes[:n+m] {
		if k.flow <= 0 {
			continue
		}
		flows++
		row, col := s.ends(i)
		sent, c := float64(k.flow)*s.unit, cost[row*m+col]
		rows[row] += sent
		cols[col] += sent
		primal += sent * c
		if d := c - u[row] - v[col]; !(math.Abs(d) <= 1e-12*top) {
			t.Errorf("the plan uses %d to %d, whose reduced cost is %v", row, col, d)
		}
	}
	if flows > n+m-1 {
		t.Errorf("%d flows of %d x %d", flows, n, m)
	}
	for i := range n {
		w := weight(a, i, n)
		mass += w
		dual += w * u[i]
		if !(math.Abs(rows[i]-w) <= 1e-12*max(1, w)) {
			t.Errorf("row %d sends %v of %v", i, rows[i], w)
		}
		for j := range m {
			if d := cost[i*m+j] - u[i] - v[j]; !(d >= -1e-12*top) {
				t.Errorf("the reduced cost of %d to %d is %v", i, j, d)
			}
		}
	}
	for j := range m {
		w := weight(b, j, m)
		dual += w * v[j]
		if !(math.Abs(cols[j]-w) <= 1e-12*max(1, w)) {
			t.Errorf("column %d takes %v of %v", j, cols[j], w)
		}
	}
	if d := 1e-11 * top * mass; !(math.Abs(primal-distance) <= d && math.Abs(dual-distance) <= d) {
		t.Errorf("distance %v, plan %v, potentials %v", distance, primal, dual)
	}
}
