package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// Constants of the line search: the share of the predicted decrease that a step must reach, and the maximum number of
// halvings.
const (
	armijo   = 0.01
	halvings = 20
)

// columnsOf returns the features of the vectors as columns [features+1][n], each value times its label. The last column is
// for the bias.
func columnsOf(x Dense, positive []bool, bias float64) [][]float64 {
	values := make([]float64, (x.Features+1)*x.N)
	columns := make([][]float64, x.Features+1)
	for j := range columns {
		columns[j] = values[j*x.N:][:x.N]
	}
	const block = 16 // columns at a time, so that what is written stays in the cache
	for from := 0; from < x.Features; from += block {
		to := min(from+block, x.Features)
		for i := range x.N {
			y := sign(positive[i])
			for j, v := range x.row(i)[from:to] {
				values[(from+j)*x.N+i] = y * v
			}
		}
	}
	for i, p := range positive {
		columns[x.Features][i] = sign(p) * bias
	}
	return columns
}

// misses has 1 - y_i f(x_i) for all examples, and the terms of the loss computed from them.
type misses struct {
	cost, miss []float64
	pull       []float64 // C_i max(0, miss): half the slope of the loss
	on         []float64 // C_i where miss > 0, otherwise 0: half its curvature
}

// add adds d times a column to the misses.
func (m *misses) add(d float64, column []float64) {
	cost, miss, pull, on := m.cost, m.miss[:len(m.cost)], m.pull[:len(m.cost)], m.on[:len(m.cost)]
	column = column[:len(cost)]
	for i, c := range cost {
		v := miss[i] + d*column[i]
		miss[i] = v
		// c where the sign bit of v is 0, otherwise 0; a branch would be hard to predict.
		c = math.Float64frombits(math.Float64bits(c) &^ uint64(int64(math.Float64bits(v))>>63))
		on[i], pull[i] = c, c*v
	}
}

// loss is Σ_i C_i max(0, miss)².
func (m *misses) loss() float64 { return floats.Dot(m.pull, m.miss) }

// fitL1 minimises the primal, one weight at a time: a Newton step of the loss with the penalty, halved until the objective
// decreases enough. Occasionally it takes a Newton step of many weights.
func (s Linear) fitL1(ctx context.Context, columns [][]float64, positive []bool, cost []float64) (*Hyperplane, error) {
	n, d := len(cost), len(columns)
	random := rand.New(rand.NewPCG(s.Seed, 0))
	m := &misses{cost, make([]float64, n), make([]float64, n), make([]float64, n)}
	for i := range m.miss {
		m.miss[i] = 1
	}
	m.add(0, columns[0])
	var counts [2]float64
	for i, p := range positive {
		if cost[i] > 0 {
			counts[index(p)]++
		}
	}
	scale := (counts[0] + counts[1]) / min(counts[0], counts[1])
	w, bound, order := make([]float64, d), make([]float64, d), make([]int, d)
	for j := range order {
		order[j] = j
	}
	h := &Hyperplane{}
	result := func() *Hyperplane {
		h.Weights, h.Bias = w[:d-1], w[d-1]*s.InterceptScaling
		return h
	}
	var p pace
	var at []int // the features whose weights are not 0
	active, worst, start := d, math.Inf(1), 0.0
	for {
		if h.Iterations == s.MaxIterations {
			return result(), fmt.Errorf("%w: a violation of %v after %d passes, the tolerance is %v", ErrNotConverged, h.Violation, s.MaxIterations, s.Tolerance)
		}
		top, sum := 0.0, 0.0
		shuffle(random, order[:active])
		for at := 0; at < active; at++ {
			if at%checkEvery == 0 {
				if err := cancelled(ctx); err != nil {
					return nil, err
				}
			}
			j := order[at]
			column := columns[j]
			slope := -2 * floats.Dot(m.pull, column)
			right, left := slope+1, slope-1 // of the objective, to either side of 0
			violation := 0.0
			switch {
			case w[j] > 0:
				violation = math.Abs(right)
			case w[j] < 0:
				violation = math.Abs(left)
			case right < 0:
				violation = -right
			case left > 0:
				violation = left
			default:
				if right > worst/float64(n) && left < -worst/float64(n) {
					active--
					order[at], order[active] = order[active], order[at]
					at--
				}
				continue // the step is 0
			}
			top, sum = max(top, violation), sum+violation
			curvature := max(2*weighted(m.on, column), tau)
			var step float64
			switch {
			case right < curvature*w[j]:
				step = -right / curvature
			case left > curvature*w[j]:
				step = -left / curvature
			default:
				step = -w[j]
			}
			if math.Abs(step) < 1e-12 {
				continue
			}
			if bound[j] == 0 {
				bound[j] = weighted(cost, column)
			}
			w[j] += m.search(column, w[j], step, slope, bound[j])
		}
		if h.Iterations == 0 {
			start = sum
		}
		h.Iterations++
		h.Violation = 0
		if start > 0 {
			h.Violation = sum / start * scale
		}
		if h.Violation <= s.Tolerance {
			if active == d {
				return result(), nil
			}
			active, worst = d, math.Inf(1)
			continue
		}
		worst = top
		at = at[:0]
		for _, j := range order[:active] {
			if w[j] != 0 {
				at = append(at, j)
			}
		}
		if u := float64(len(at)); p.due(len(at), u*u*float64(n)/2+float64(1+len(shares))*u*float64(n), float64(active*n+3*len(at)*n)) {
			p.done(m.newton(ctx, columns, w, at))
		}
	}
}

// search halves the step of a weight w until the objective decreases enough, takes it, and returns it. bound is Σ_i C_i
// x_ij², half the greatest curvature.
func (m *misses) search(column []float64, w, step, slope, bound float64) float64 {
	predicted := math.Abs(w+step) - math.Abs(w) + slope*step
	taken, before := 0.0, 0.0
	for k := 0; ; k++ {
		change := math.Abs(w+step) - math.Abs(w) - armijo*predicted
		if bound*step*step+slope*step+change <= 0 { // enough by the bound: no need to compute the loss
			m.add(taken-step, column)
			return step
		}
		if k == 0 {
			before = m.loss()
		}
		m.add(taken-step, column)
		if change+m.loss()-before <= 0 || k == halvings {
			return step
		}
		taken = step
		step /= 2
		predicted /= 2
	}
}

// weighted is Σ_i c_i x_i².
func weighted(c, x []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(c) >= 4 && len(x) >= 4 {
		s0 += c[0] * x[0] * x[0]
		s1 += c[1] * x[1] * x[1]
		s2 += c[2] * x[2] * x[2]
		s3 += c[3] * x[3] * x[3]
		c, x = c[4:], x[4:]
	}
	for i, v := range x {
		s0 += c[i] * v * v
	}
	return s0 + s1 + s2 + s3
}
