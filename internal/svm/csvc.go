package svm

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// tau replaces a curvature that is not above 0, where the kernel is not positive definite.
const tau = 1e-12

// CSVC fits the support-vector classifier with hinge loss to a kernel. It finds the coefficients β of the least
//
//	½ Σ_ij β_i β_j k(x_i, x_j) - Σ_i |β_i|,  Σ_i β_i = 0,  0 ≤ β_i y_i ≤ C_i,
//
// by sequential minimal optimisation: each iteration moves two coefficients, chosen with second-order information.
//
// With a kernel that is not positive semidefinite it finds a stationary point, which may depend on the order of the examples.
//
// Source: R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for training support vector
// machines", JMLR 6 (2005), WSS 3; as in LIBSVM, whose criterion to stop and whose bias are the same.
type CSVC struct {
	C             float64 // cost of an example of weight 1
	Tolerance     float64 // of the violation, which is in units of decision values
	MaxIterations int
	CacheBytes    int64 // for rows of a kernel that is neither a [Matrix] nor a [Cache]
}

// DefaultCSVC returns C = 1 and LIBSVM's tolerance and limit of iterations, with a cache of 256 MiB.
func DefaultCSVC() CSVC {
	return CSVC{C: 1, Tolerance: 1e-3, MaxIterations: 10_000_000, CacheBytes: 256 << 20}
}

// Machine is a fitted classifier with a kernel.
type Machine struct {
	Coefficients []float64 // β_i = α_i y_i, [n]; 0 for an example that is no support vector
	Bias         float64   // b, LIBSVM's -rho
	Objective    float64   // of the dual, as in [CSVC]
	Violation    float64   // max of y_i - f_i over the β_i that can grow, less its min over those that can shrink
	Iterations   int
}

// Decision returns Σ_i β_i k(x_i, x) + b, where row[i] = k(x_i, x), [n].
func (m *Machine) Decision(row []float64) float64 {
	row = row[:len(m.Coefficients)]
	sum := 0.0
	for i, b := range m.Coefficients {
		if b != 0 { // what the others have in row does not matter, be it NaN
			sum += b * row[i]
		}
	}
	return sum + m.Bias
}

// Fit fits a classifier to the examples of k with labels positive[n] and weights[n]; nil weights are all 1.
//
// It errs where the numbers of examples differ, a setting or weight is out of range, a value that it reads is not finite (it
// reads the diagonal and the rows of the examples that it moves), and with the error of ctx, [ErrOneClass] or
// [ErrNotConverged].
func (s CSVC) Fit(ctx context.Context, k Kernel, positive []bool, weights []float64) (*Machine, error) {
	n := k.Len()
	if len(positive) != n {
		return nil, fmt.Errorf("svm: %d labels for a kernel of %d examples", len(positive), n)
	}
	if err := limits(s.Tolerance, s.MaxIterations); err != nil {
		return nil, err
	}
	if s.CacheBytes < 0 {
		return nil, fmt.Errorf("svm: a cache of %d bytes", s.CacheBytes)
	}
	cost, err := costs(s.C, positive, weights)
	if err != nil {
		return nil, err
	}
	bytes := s.CacheBytes
	rows, ok := k.(viewer)
	if !ok {
		bytes /= 2
		rows = NewCache(k, bytes)
	}
	o, err := newSMO(rows, positive, cost, bytes)
	if err != nil {
		return nil, err
	}
	stopped := o.run(ctx, s.Tolerance, s.MaxIterations)
	if stopped != nil && !o.converging {
		return nil, stopped
	}
	m := o.machine()
	if math.IsNaN(m.Objective) || math.IsInf(m.Objective, 0) || math.IsNaN(m.Bias) {
		return nil, fmt.Errorf("svm: the kernel's values are too large, the objective is %v", m.Objective)
	}
	return m, stopped
}

// shrinkFrom is the number of examples from which it pays to set some aside.
const shrinkFrom = 400

// smo is the state of a fit. Its labels are the negatives of the caller's: LIBSVM's first class is +1, scikit-learn's first
// class is the negative one, and so ties and the path through a kernel that is not definite are theirs.
type smo struct {
	all    part
	active part // all, or what shrink has left of it
	seen   []bool
	bytes  int64 // for the rows of active

	shrinkFrom int
	unshrunk   bool // that active was made all again near the end
	iterations int
	converging bool // false after an error that leaves no solution
}

// part is some of the examples.
type part struct {
	rows   viewer
	index  []int // of the examples; nil: all
	y      []float64
	beta   []float64 // coefficients
	lowest []float64 // bounds of beta
	most   []float64
	half   []float64 // k(x_k, x_k)/2
	f      []float64 // y_k - Σ_j β_j k(x_j, x_k)
	up     []float64 // 0 where β_k can grow, otherwise -Inf
	down   []float64 // 0 where β_k can shrink, otherwise +Inf
	low    []float64 // f + down

	first, worst int     // the examples of greatest f+up and least f+down
	top, bottom  float64 // those f
}

func newPart(rows viewer, n int) part {
	all := make([]float64, 9*n)
	next := func() []float64 {
		v := all[:n:n]
		all = all[n:]
		return v
	}
	return part{rows: rows, y: next(), beta: next(), lowest: next(), most: next(), half: next(), f: next(), up: next(), down: next(), low: next()}
}

func newSMO(rows viewer, positive []bool, cost []float64, bytes int64) (*smo, error) {
	n := len(positive)
	p := newPart(rows, n)
	rows.Diagonal(p.half)
	for i, label := range positive {
		if err := finite(p.half[i], i, i); err != nil {
			return nil, err
		}
		p.half[i] /= 2
		p.y[i] = -sign(label)
		p.f[i] = p.y[i]
		p.lowest[i], p.most[i] = min(0, p.y[i]*cost[i]), max(0, p.y[i]*cost[i])
		p.room(i)
	}
	p.move(p.half, p.half, 0)
	return &smo{all: p, active: p, seen: make([]bool, n), bytes: bytes, shrinkFrom: shrinkFrom}, nil
}

// shrink sets aside the examples at a bound that are unlikely to leave it: those whose f is beyond the extremes of the
// others.
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
		q.y[at], q.beta[at], q.lowest[at], q.most[at], q.half[at], q.f[at] = p.y[k], p.beta[k], p.lowest[k], p.most[k], p.half[k], p.f[k]
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
	copy(p.f, p.y)
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

// finite errs where a value of the kernel is not.
func finite(v float64, i, j int) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("svm: the kernel of examples %d and %d is %v", i, j, v)
	}
	return nil
}

// room notes whether β_i can grow or shrink.
func (p *part) room(i int) {
	p.up[i], p.down[i] = 0, 0
	if p.beta[i] >= p.most[i] {
		p.up[i] = math.Inf(-1)
	}
	if p.beta[i] <= p.lowest[i] {
		p.down[i] = math.Inf(1)
	}
}

// row returns row i of p, which it has checked.
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
				return nil, finite(v, i, j)
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
	// give returns the error of a fit that has a solution so far.
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

// second returns the j that, moved with i, lowers the objective most, (f_i - f_j)²/(k_ii + k_jj - 2 k_ij) with the
// constraints set aside, or -1.
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

// move updates f for β_i grown by step and β_j shrunk by it, whose rows are ki and kj, and finds its extremes.
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

// machine returns the solution with the caller's labels. The bias is the mean of f over the free coefficients; where there
// are none, it is the middle of what the others allow.
func (o *smo) machine() *Machine {
	p := &o.active // all
	m := &Machine{Coefficients: make([]float64, len(p.f)), Violation: max(0, p.top-p.bottom), Iterations: o.iterations}
	sum, free := 0.0, 0
	for i, b := range p.beta {
		if b != 0 {
			m.Coefficients[i] = -b
			m.Objective -= b * (p.y[i] + p.f[i]) / 2
		}
		if p.lowest[i] < b && b < p.most[i] {
			sum += p.f[i]
			free++
		}
	}
	m.Bias = -(p.top + p.bottom) / 2
	if free > 0 {
		m.Bias = -sum / float64(free)
	}
	return m
}
