package svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// tau replaces a curvature that is not above 0, which happens if the kernel is not positive definite.
const tau = 1e-12

// Machine is a fitted classifier, or regression, with a kernel.
type Machine struct {
	Coefficients []float64 // β_i = α_i y_i of [CSVC], α_i - α*_i of [SVR], [n]; 0 for an example that is no support vector
	Bias         float64   // b, LIBSVM's -rho
	Objective    float64   // objective of the dual, as in [CSVC] and [SVR]
	Violation    float64   // difference between the biases required by coefficients that can grow and by those that can shrink
	Iterations   int
}

// Decision returns Σ_i β_i k(x_i, x) + b, where row[i] = k(x_i, x), [n].
func (m *Machine) Decision(row []float64) float64 {
	row = row[:len(m.Coefficients)]
	sum := 0.0
	for i, b := range m.Coefficients {
		if b != 0 { // row is ignored for the others, even if it is NaN
			sum += b * row[i]
		}
	}
	return sum + m.Bias
}

// dual is the problem that a fit solves: find the coefficients β that minimise
//
//	½ Σ_ij β_i β_j k(x_i, x_j) - Σ_i β_i t_i,  Σ_i β_i = 0,  lowest_i ≤ β_i ≤ most_i.
type dual struct {
	target       []float64 // t
	lowest, most []float64 // bounds, at most 0 and at least 0
}

func newDual(n int) dual { return dual{make([]float64, n), make([]float64, n), make([]float64, n)} }

// solve finds the coefficients by sequential minimal optimisation, for the kernel k of n examples. With 2n coefficients, β_i
// and β_i+n belong to example i. Its errors are those of [CSVC.Fit].
func (d dual) solve(ctx context.Context, k Kernel, tolerance float64, iterations int, bytes int64) (*Machine, error) {
	if err := limits(tolerance, iterations); err != nil {
		return nil, err
	}
	if bytes < 0 {
		return nil, fmt.Errorf("svm: a cache of %d bytes", bytes)
	}
	rows, ok := k.(viewer)
	if !ok {
		bytes /= 2
		rows = NewCache(k, bytes)
	}
	o, err := newSMO(rows, d, bytes)
	if err != nil {
		return nil, err
	}
	return o.solve(ctx, tolerance, iterations)
}

// solve runs the solver and returns its solution, possibly with [ErrNotConverged].
func (o *smo) solve(ctx context.Context, tolerance float64, iterations int) (*Machine, error) {
	stopped := o.run(ctx, tolerance, iterations)
	if stopped != nil && !o.converging {
		return nil, stopped
	}
	m := o.solution()
	if math.IsNaN(m.Objective) || math.IsInf(m.Objective, 0) || math.IsNaN(m.Bias) {
		return nil, fmt.Errorf("svm: the kernel's values are too large, the objective is %v", m.Objective)
	}
	return m, stopped
}

// shrinkFrom is the minimum number of examples for which shrinking pays.
const shrinkFrom = 400

// smo is the state of a fit.
type smo struct {
	all    part
	active part // all, or what remains after shrinking
	seen   []bool
	bytes  int64 // cache size for the rows of active
	n      int   // examples; coefficient i is one of example i mod n

	shrinkFrom int
	unshrunk   bool // whether all examples were made active again near the end
	iterations int
	converging bool // false after an error that leaves no solution
}

// part is a subset of the examples.
type part struct {
	rows   viewer
	index  []int     // of the examples; nil means all
	target []float64 // t
	beta   []float64 // coefficients
	lowest []float64 // bounds of beta
	most   []float64
	half   []float64 // k(x_k, x_k)/2
	f      []float64 // t_k - Σ_j β_j k(x_j, x_k)
	up     []float64 // 0 where β_k can grow, otherwise -Inf
	down   []float64 // 0 where β_k can shrink, otherwise +Inf
	low    []float64 // f + down

	first, worst int     // the examples with the largest f+up and the smallest f+down
	top, bottom  float64 // f of these examples
}

func newPart(rows viewer, n int) part {
	all := make([]float64, 9*n)
	next := func() []float64 {
		v := all[:n:n]
		all = all[n:]
		return v
	}
	return part{rows: rows, target: next(), beta: next(), lowest: next(), most: next(), half: next(), f: next(), up: next(), down: next(), low: next()}
}

// newSMO returns the state of a fit to the examples of rows.
func newSMO(rows viewer, d dual, bytes int64) (*smo, error) {
	n := rows.Len()
	if len(d.target) == 2*n {
		rows = &doubled{base: rows}
	}
	p := newPart(rows, len(d.target))
	rows.Diagonal(p.half)
	copy(p.target, d.target)
	copy(p.f, d.target)
	copy(p.lowest, d.lowest)
	copy(p.most, d.most)
	for i := range p.half {
		if err := finite(p.half[i], i%n, i%n); err != nil {
			return nil, err
		}
		p.half[i] /= 2
		p.room(i)
	}
	p.move(p.half, p.half, 0)
	return &smo{all: p, active: p, seen: make([]bool, len(d.target)), bytes: bytes, n: n, shrinkFrom: shrinkFrom}, nil
}

// shrink removes examples at a bound that are unlikely to leave it: those whose f is beyond the extremes of the others.
func (o *smo) shrink() {
	p := &o.active
	var kept []int // in active
	for k, f := range p.f {
		if !(p.up[k] != 0 && f > p.top || p.down[k] != 0 && f < p.bottom) {
			kept = append(kept, k)
		}
	}
	if 10*len(kept) > 8*len(p.f) || len(kept) < 2 {
		return
	}
	o.store()
	index := kept // in all
	if p.index != nil {
		index = make([]int, len(kept))
		for at, k := range kept {
			index[at] = p.index[k]
		}
	}
	q := newPart(NewCache(&subset{base: o.all.rows, index: index}, o.bytes), len(kept))
	q.index = index
	for at, k := range kept {
		q.target[at], q.beta[at], q.lowest[at], q.most[at], q.half[at], q.f[at] = p.target[k], p.beta[k], p.lowest[k], p.most[k], p.half[k], p.f[k]
		q.room(at)
	}
	q.move(q.f, q.f, 0)
	o.active = q
}

// store copies the coefficients of active to all.
func (o *smo) store() {
	for at, i := range o.active.index {
		o.all.beta[i] = o.active.beta[at]
	}
}

// unshrink makes all examples active again.
func (o *smo) unshrink(ctx context.Context) error {
	if o.active.index == nil {
		return nil
	}
	o.store()
	p := &o.all
	copy(p.f, p.target)
	for j, b := range p.beta {
		p.room(j)
		if b == 0 {
			continue
		}
		if j%checkEvery == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
		}
		row, err := o.row(p, j)
		if err != nil {
			return err
		}
		floats.AddScaled(p.f, -b, row)
	}
	p.move(p.f, p.f, 0)
	o.active = *p
	return nil
}

// finite returns an error if a value of the kernel is not finite.
func finite(v float64, i, j int) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("svm: the kernel of examples %d and %d is %v", i, j, v)
	}
	return nil
}

// room records whether β_i can grow or shrink.
func (p *part) room(i int) {
	p.up[i], p.down[i] = 0, 0
	if p.beta[i] >= p.most[i] {
		p.up[i] = math.Inf(-1)
	}
	if p.beta[i] <= p.lowest[i] {
		p.down[i] = math.Inf(1)
	}
}

// row returns row i of p after checking it.
func (o *smo) row(p *part, i int) ([]float64, error) {
	r, of := p.rows.view(i), i
	if p.index != nil {
		of = p.index[i]
	}
	if !o.seen[of] {
		if p.index != nil { // a part of the row
			return r, o.check(of)
		}
		for j, v := range r {
			if v-v != 0 { // NaN or infinite
				return nil, finite(v, i%o.n, j%o.n)
			}
		}
		o.seen[of] = true
	}
	return r, nil
}

// check reads all of row i.
func (o *smo) check(i int) error {
	_, err := o.row(&o.all, i)
	return err
}

// run iterates until the violation is at most the tolerance.
func (o *smo) run(ctx context.Context, tolerance float64, most int) error {
	// give returns the error of a fit that already has a solution.
	give := func(format string, arguments ...any) error {
		if err := o.unshrink(ctx); err != nil {
			return err
		}
		o.converging = true
		return fmt.Errorf("%w: "+format, append([]any{ErrNotConverged}, arguments...)...)
	}
	p := &o.active
	every := min(max(len(p.f), o.shrinkFrom), 1000)
	for wait := every; ; wait-- {
		if p.top-p.bottom <= tolerance {
			if p.index == nil {
				o.converging = true
				return nil
			}
			if err := o.unshrink(ctx); err != nil {
				return err
			}
			wait = every
			continue
		}
		if o.iterations%checkEvery == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
		}
		if o.iterations == most {
			return give("%d iterations, the tolerance is %v", most, tolerance)
		}
		if wait <= 0 && len(p.f) >= o.shrinkFrom {
			if !o.unshrunk && p.top-p.bottom <= 10*tolerance {
				o.unshrunk = true
				if err := o.unshrink(ctx); err != nil {
					return err
				}
			}
			o.shrink()
			wait = every
		}
		o.iterations++
		i := p.first
		ki, err := o.row(p, i)
		if err != nil {
			return err
		}
		j := p.second(i, ki)
		if j < 0 {
			j = p.worst // the products of second overflow
		}
		kj, err := o.row(p, j)
		if err != nil {
			return err
		}
		curvature := 2 * (p.half[i] + p.half[j] - ki[j])
		if !(curvature > 0) {
			curvature = tau
		}
		step := (p.f[i] - p.f[j]) / curvature
		bi, bj := p.beta[i], p.beta[j]
		growth, shrinkage := p.most[i]-bi, bj-p.lowest[j]
		step = min(step, growth, shrinkage)
		p.beta[i], p.beta[j] = bi+step, bj-step
		if step == growth { // bounds are met exactly
			p.beta[i] = p.most[i]
		}
		if step == shrinkage {
			p.beta[j] = p.lowest[j]
		}
		if p.beta[i] == bi && p.beta[j] == bj {
			return give("the steps vanish at a violation of %v, the tolerance is %v", p.top-p.bottom, tolerance)
		}
		p.room(i)
		p.room(j)
		p.move(ki, kj, step)
	}
}

// second returns the j that, changed together with i, lowers the objective most, (f_i - f_j)²/(k_ii + k_jj - 2 k_ij) without
// the constraints, or -1.
func (p *part) second(i int, ki []float64) int {
	best, square, over := -1, 0.0, 1.0 // the best quotient is square/over, or half of it
	fi, kii := p.f[i], p.half[i]
	low := p.low
	half, ki := p.half[:len(low)], ki[:len(low)]
	for j, fj := range low {
		b := fi - fj
		a := kii + half[j] - ki[j]
		if a <= 0 {
			a = tau / 2
		}
		if bb := b * b; b > 0 && bb*over >= square*a {
			best, square, over = j, bb, a
		}
	}
	return best
}

// move updates f after β_i grew and β_j shrank by step, given their rows ki and kj, and finds its extremes.
func (p *part) move(ki, kj []float64, step float64) {
	f := p.f
	ki, kj, up, down, low := ki[:len(f)], kj[:len(f)], p.up[:len(f)], p.down[:len(f)], p.low[:len(f)]
	first, worst, top, bottom := 0, 0, math.Inf(-1), math.Inf(1)
	for k := range f {
		v := f[k] - step*(ki[k]-kj[k])
		d := v + down[k]
		f[k], low[k] = v, d
		if u := v + up[k]; u >= top {
			first, top = k, u
		}
		if d < bottom {
			worst, bottom = k, d
		}
	}
	p.first, p.worst, p.top, p.bottom = first, worst, top, bottom
}

// solution returns the solution, with the coefficients of each example summed. The bias is the mean of f over the free
// coefficients; if there are none, it is the middle of the range that the others allow.
func (o *smo) solution() *Machine {
	p := &o.active // all
	m := &Machine{Coefficients: make([]float64, o.n), Violation: max(0, p.top-p.bottom), Iterations: o.iterations}
	sum, free := 0.0, 0
	for i, b := range p.beta {
		if b != 0 {
			m.Coefficients[i%o.n] += b
			m.Objective -= b * (p.target[i] + p.f[i]) / 2
		}
		if p.lowest[i] < b && b < p.most[i] {
			sum += p.f[i]
			free++
		}
	}
	m.Bias = (p.top + p.bottom) / 2
	if free > 0 {
		m.Bias = sum / float64(free)
	}
	return m
}
