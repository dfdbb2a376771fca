package svm

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Coordinate descent finds the non-zero coefficients in a few passes, but may need thousands more to find their values. A
// Newton step for the non-zero ones finds the values at once. It is tried after as many passes as cost the same, and only
// kept if it lowers the objective, so it never costs more than it may save.

// newtonLimit is the maximum number of unknowns of a Newton step.
const newtonLimit = 1500

// pace decides when a Newton step is due.
type pace struct {
	passes, doublings int
	price             float64 // of a step, in passes
}

// due reports whether a Newton step with so many unknowns, whose matrix takes so many products, is worth its cost after
// passes of the given cost.
func (p *pace) due(unknowns int, products, pass float64) bool {
	p.passes++
	u := float64(unknowns)
	p.price = (products + u*u*u/6) / pass
	return unknowns > 0 && unknowns <= newtonLimit && float64(p.passes) >= (4+p.price)*float64(int(1)<<p.doublings)
}

// done records that steps were taken. The first one is already paid for.
func (p *pace) done(steps int, lower bool) {
	p.passes = -int(float64(steps-1) * p.price)
	p.doublings = min(p.doublings+1, 10)
	if lower {
		p.doublings = 0
	}
}

// solve returns the solution of a symmetric positive definite system, or nil. It overwrites a.
func solve(a *mat.SymDense, b []float64) []float64 {
	n := len(b)
	ridge := 1e-12 * mat.Trace(a) / float64(n)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	factor, ok := lapack64.Potrf(a.RawSymmetric())
	if !ok {
		return nil
	}
	x := slices.Clone(b)
	lapack64.Potrs(factor, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: x})
	for _, v := range x {
		if v-v != 0 { // NaN or infinite
			return nil
		}
	}
	return x
}

// squares returns scale Z Zᵀ of z[rows][columns].
func squares(scale float64, z []float64, rows, columns int) *mat.SymDense {
	s := mat.NewSymDense(rows, nil)
	blas64.Syrk(blas.NoTrans, scale, blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: z}, 0, s.RawSymmetric())
	return s
}

// shares are the fractions of a Newton step that are tried; the best is taken.
var shares = []float64{1, 0.25, 0.0625}

// rounds is the maximum number of consecutive Newton steps.
const rounds = 20

// toward returns w + share step, with 0 for weights that would change their sign.
func toward(w, step []float64, share float64) []float64 {
	moved := make([]float64, len(w))
	for j, v := range w {
		if moved[j] = v + share*step[j]; moved[j]*v <= 0 {
			moved[j] = 0
		}
	}
	return moved
}

// newton takes Newton steps of the non-zero weights w[at[k]], keeping their signs. It returns how many it tried, and whether
// they lowered the objective.
func (m *misses) newton(ctx context.Context, columns [][]float64, w []float64, at []int) (steps int, lower bool) {
	for steps < rounds && ctx.Err() == nil {
		more, ok := m.newtonStep(columns, w, at)
		steps++
		if lower = lower || ok; !more {
			break
		}
		at = slices.DeleteFunc(at, func(j int) bool { return w[j] == 0 })
	}
	return steps, lower
}

// newtonStep takes one step and reports whether the objective is lower, and whether another step may lower it more.
func (m *misses) newtonStep(columns [][]float64, w []float64, at []int) (more, lower bool) {
	n := len(m.cost)
	var on []int
	for i, c := range m.on {
		if c > 0 {
			on = append(on, i)
		}
	}
	if len(on) == 0 || len(at) == 0 {
		return false, false
	}
	z, slope, old := make([]float64, len(at)*len(on)), make([]float64, len(at)), make([]float64, len(at))
	for k, j := range at {
		column := columns[j]
		row := z[k*len(on):][:len(on)]
		for to, i := range on {
			row[to] = math.Sqrt(m.on[i]) * column[i]
		}
		slope[k], old[k] = 2*floats.Dot(m.pull, column)-math.Copysign(1, w[j]), w[j]
	}
	step := solve(squares(2, z, len(at), len(on)), slope)
	if step == nil {
		return false, false
	}
	first := 1.0 // the share at which the first weight meets 0
	for k, v := range old {
		if (v+step[k])*v < 0 {
			first = min(first, -v/step[k])
		}
	}
	least := m.loss() + floats.Norm(old, 1)
	var best []float64
	var found, next misses
	for _, share := range append([]float64{first * (1 + 1e-12)}, shares...) {
		moved := toward(old, step, share)
		next = misses{m.cost, slices.Clone(m.miss), make([]float64, n), make([]float64, n)}
		for k, j := range at {
			floats.AddScaled(next.miss, old[k]-moved[k], columns[j])
		}
		next.add(0, columns[0])
		if o := next.loss() + floats.Norm(moved, 1); o < least {
			least, best, found = o, moved, next
			more = share < 1
		}
	}
	if best == nil {
		return false, false
	}
	for k, j := range at {
		w[j] = best[k]
		more = more || w[j] == 0
	}
	for i, c := range found.on {
		more = more || (c > 0) != (m.on[i] > 0)
	}
	*m = found
	return more, true
}

// newtonDual moves alpha to the minimum of the dual by Newton's method on the primal (O. L. Mangasarian, "A finite Newton
// method for classification", 2002), and returns the number of steps, and whether the objective of the dual is lower.
// products is the matrix of the dual; its diagonal includes diag = 1/(2 C_i), or 0 for an ignored example.
//
// With w = Σ_i a_i y_i x_i the misses are 1 - products a + diag a. Each step solves for the a_i of the examples with
// positive misses, with the others 0, and does a line search towards that solution.
func newtonDual(ctx context.Context, products *mat.SymDense, diag, alpha []float64) (steps int, lower bool) {
	n := len(alpha)
	dual := func(a []float64) (miss []float64, objective float64) {
		miss = make([]float64, n)
		blas64.Symv(1, products.RawSymmetric(), blas64.Vector{N: n, Inc: 1, Data: a}, 0, blas64.Vector{N: n, Inc: 1, Data: miss})
		objective = floats.Dot(a, miss)/2 - floats.Sum(a)
		for i, v := range miss {
			miss[i] = 1 - v + diag[i]*a[i]
		}
		return miss, objective
	}
	a := slices.Clone(alpha)
	miss, before := dual(a)
	for steps < rounds && ctx.Err() == nil {
		steps++
		var at []int
		for i, m := range miss {
			if m > 0 && diag[i] > 0 {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return steps, false
		}
		s, ones := mat.NewSymDense(len(at), nil), make([]float64, len(at))
		for k, i := range at {
			ones[k] = 1
			for l := k; l < len(at); l++ {
				s.SetSym(k, l, products.At(i, at[l]))
			}
		}
		solution := solve(s, ones)
		if solution == nil {
			return steps, false
		}
		to := make([]float64, n)
		for k, i := range at {
			to[i] = solution[k]
		}
		there, _ := dual(to)
		same := true
		for i := range miss {
			same = same && (diag[i] == 0 || (miss[i] > 0) == (there[i] > 0))
		}
		share := 1.0
		if !same {
			share = lowest(diag, a, to, miss, there)
		}
		floats.AddScaled(a, share, floats.SubTo(to, to, a))
		floats.AddScaled(miss, share, floats.SubTo(there, there, miss))
		if same {
			break
		}
	}
	for i, d := range diag { // at the minimum this changes nothing
		if a[i] = 0; d > 0 {
			a[i] = max(0, miss[i]/d)
		}
	}
	if _, after := dual(a); !(after < before) {
		return steps, false
	}
	copy(alpha, a)
	return steps, true
}

// lowest returns the share of the way from a to b where the primal ½|w|² + Σ_i C_i max(0, miss_i)² is smallest, by bisection
// of its slope. The slope of |w|² = Σ_i a_i (1 - miss_i) is linear.
func lowest(diag, a, b, missA, missB []float64) float64 {
	var ab, bb float64 // ⟨w_a, w_b - w_a⟩ and |w_b - w_a|²
	for i := range a {
		ab += a[i] * (missA[i] - missB[i])
		bb += (b[i] - a[i]) * (missA[i] - missB[i])
	}
	slope := func(t float64) float64 {
		s := ab + t*bb
		for i, d := range diag {
			change := missB[i] - missA[i]
			if m := missA[i] + t*change; m > 0 && d > 0 {
				s += m * change / d
			}
		}
		return s
	}
	if slope(1) <= 0 {
		return 1
	}
	from, to := 0.0, 1.0
	for range 40 {
		if middle := (from + to) / 2; slope(middle) > 0 {
			to = middle
		} else {
			from = middle
		}
	}
	return from
}
