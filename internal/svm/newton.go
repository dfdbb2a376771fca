package svm

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Coordinate descent finds the examples and the weights that are not 0 in a few passes, and may then need thousands to find
// their values. A Newton step for those alone finds the values at once. It is taken after as many passes as cost the same,
// and only where it lowers the objective, so that it never costs more than it may spare.

// newtonLimit is the most unknowns of a Newton step.
const newtonLimit = 2000

// pace says when a Newton step is due.
type pace struct{ passes, doublings int }

// due reports whether a step of unknowns, whose matrix takes products to make, is worth its cost after passes of the given
// cost.
func (p *pace) due(unknowns int, products, pass float64) bool {
	p.passes++
	u := float64(unknowns)
	cost := products + u*u*u/6
	return unknowns > 0 && unknowns <= newtonLimit && float64(p.passes) >= (4+cost/pass)*float64(int(1)<<p.doublings)
}

// done notes that a step was tried.
func (p *pace) done(lower bool) {
	p.passes = 0
	p.doublings = min(p.doublings+1, 10)
	if lower {
		p.doublings = 0
	}
}

// solve returns the solution of a symmetric positive definite system, or nil.
func solve(a *mat.SymDense, b []float64) []float64 {
	n := len(b)
	ridge := 1e-12 * mat.Trace(a) / float64(n)
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		return nil
	}
	x := mat.NewVecDense(n, nil)
	if err := factor.SolveVecTo(x, mat.NewVecDense(n, b)); err != nil && x.Len() != n {
		return nil
	}
	for _, v := range x.RawVector().Data {
		if v-v != 0 {
			return nil
		}
	}
	return x.RawVector().Data
}

// squares returns scale Z Zᵀ of z[rows][columns].
func squares(scale float64, z []float64, rows, columns int) *mat.SymDense {
	s := mat.NewSymDense(rows, nil)
	blas64.Syrk(blas.NoTrans, scale, blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: z}, 0, s.RawSymmetric())
	return s
}

// towards moves x to x + step, or to where the first of its values meets 0, and returns it; values that would change their
// sign become 0. With all, the others still move all the way.
func towards(x, step []float64, all bool) []float64 {
	share := 1.0
	for j, v := range x {
		if !all && (v+step[j])*v < 0 {
			share = min(share, -v/step[j])
		}
	}
	moved := make([]float64, len(x))
	for j, v := range x {
		if moved[j] = v + share*step[j]; moved[j]*v <= 0 || share < 1 && -v/step[j] == share {
			moved[j] = 0
		}
	}
	return moved
}

// newton takes a Newton step of the weights that are not 0, w[at[k]], with their signs kept, and reports whether it lowered
// the objective.
func (m *misses) newton(columns [][]float64, w []float64, at []int) bool {
	n := len(m.cost)
	var on []int
	for i, c := range m.on {
		if c > 0 {
			on = append(on, i)
		}
	}
	if len(on) == 0 {
		return false
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
		return false
	}
	before := m.loss() + floats.Norm(old, 1)
	next := &misses{m.cost, make([]float64, n), make([]float64, n), make([]float64, n)}
	for _, all := range []bool{true, false} {
		moved := towards(old, step, all)
		copy(next.miss, m.miss)
		for k, j := range at {
			floats.AddScaled(next.miss, old[k]-moved[k], columns[j])
		}
		next.add(0, columns[0])
		if next.loss()+floats.Norm(moved, 1) < before {
			for k, j := range at {
				w[j] = moved[k]
			}
			*m = *next
			return true
		}
	}
	return false
}

// newtonDual takes a Newton step of the α_i above 0, alpha[at[k]], of which products[k][l] is the matrix, and reports whether
// it lowered the objective.
func newtonDual(products *mat.SymDense, alpha []float64, at []int) bool {
	s := mat.NewSymDense(len(at), nil)
	ones, old := make([]float64, len(at)), make([]float64, len(at))
	for k, i := range at {
		for l := k; l < len(at); l++ {
			s.SetSym(k, l, products.At(i, at[l]))
		}
		ones[k], old[k] = 1, alpha[i]
	}
	objective := func(a []float64) float64 {
		v := mat.NewVecDense(len(a), a)
		return mat.Inner(v, s, v)/2 - floats.Sum(a)
	}
	before := objective(old)
	c := mat.NewSymDense(len(at), nil)
	c.CopySym(s)
	best := solve(c, ones)
	if best == nil {
		return false
	}
	step := floats.SubTo(best, best, old)
	for _, all := range []bool{true, false} {
		if moved := towards(old, step, all); objective(moved) < before {
			for k, i := range at {
				alpha[i] = moved[k]
			}
			return true
		}
	}
	return false
}
