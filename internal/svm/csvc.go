package svm

import (
	"context"
	"fmt"
	"math"
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
	rows, ok := k.(viewer)
	if !ok {
		rows = NewCache(k, s.CacheBytes)
	}
	o, err := newSMO(rows, positive, cost)
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

// smo is the state of a fit. Its labels are the negatives of the caller's: LIBSVM's first class is +1, scikit-learn's first
// class is the negative one, and so ties and the path through a kernel that is not definite are theirs.
type smo struct {
	rows   viewer
	y      []float64
	beta   []float64 // coefficients
	lowest []float64 // bounds of beta
	most   []float64
	diag   []float64
	f      []float64 // y_k - Σ_j β_j k(x_j, x_k)
	up     []float64 // 0 where β_k can grow, otherwise -Inf
	down   []float64 // 0 where β_k can shrink, otherwise +Inf
	seen   []bool    // rows that were found finite

	first, worst int     // the examples of greatest f+up and least f+down
	top, bottom  float64 // those f
	iterations   int
	converging   bool // false after an error that leaves no solution
}

func newSMO(rows viewer, positive []bool, cost []float64) (*smo, error) {
	n := len(positive)
	all := make([]float64, 8*n)
	part := func() []float64 {
		p := all[:n:n]
		all = all[n:]
		return p
	}
	o := &smo{rows: rows, y: part(), beta: part(), lowest: part(), most: part(), diag: part(), f: part(), up: part(), down: part(), seen: make([]bool, n)}
	rows.Diagonal(o.diag)
	for i, p := range positive {
		if err := finite(o.diag[i], i, i); err != nil {
			return nil, err
		}
		o.y[i] = -sign(p)
		o.f[i] = o.y[i]
		o.lowest[i], o.most[i] = min(0, o.y[i]*cost[i]), max(0, o.y[i]*cost[i])
		o.room(i)
	}
	o.move(o.diag, o.diag, 0)
	return o, nil
}

// finite errs where a value of the kernel is not.
func finite(v float64, i, j int) error {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("svm: the kernel of examples %d and %d is %v", i, j, v)
	}
	return nil
}

// room notes whether β_i can grow or shrink.
func (o *smo) room(i int) {
	o.up[i], o.down[i] = 0, 0
	if o.beta[i] >= o.most[i] {
		o.up[i] = math.Inf(-1)
	}
	if o.beta[i] <= o.lowest[i] {
		o.down[i] = math.Inf(1)
	}
}

// row returns row i, which it has checked.
func (o *smo) row(i int) ([]float64, error) {
	r := o.rows.view(i)
	if !o.seen[i] {
		for j, v := range r {
			if v-v != 0 { // NaN or infinite
				return nil, finite(v, i, j)
			}
		}
		o.seen[i] = true
	}
	return r, nil
}

// run iterates until the violation is at most the tolerance.
func (o *smo) run(ctx context.Context, tolerance float64, most int) error {
	for o.top-o.bottom > tolerance {
		if o.iterations%checkEvery == 0 {
			if err := cancelled(ctx); err != nil {
				return err
			}
		}
		if o.iterations == most {
			o.converging = true
			return fmt.Errorf("%w: a violation of %v after %d iterations, the tolerance is %v", ErrNotConverged, o.top-o.bottom, most, tolerance)
		}
		o.iterations++
		i := o.first
		ki, err := o.row(i)
		if err != nil {
			return err
		}
		j := o.second(i, ki)
		if j < 0 {
			j = o.worst // the products of second overflow
		}
		kj, err := o.row(j)
		if err != nil {
			return err
		}
		curvature := o.diag[i] + o.diag[j] - 2*ki[j]
		if !(curvature > 0) {
			curvature = tau
		}
		step := (o.f[i] - o.f[j]) / curvature
		bi, bj := o.beta[i], o.beta[j]
		growth, shrinkage := o.most[i]-bi, bj-o.lowest[j]
		step = min(step, growth, shrinkage)
		o.beta[i], o.beta[j] = bi+step, bj-step
		if step == growth { // bounds are met exactly
			o.beta[i] = o.most[i]
		}
		if step == shrinkage {
			o.beta[j] = o.lowest[j]
		}
		if o.beta[i] == bi && o.beta[j] == bj {
			o.converging = true
			return fmt.Errorf("%w: the steps vanish at a violation of %v, the tolerance is %v", ErrNotConverged, o.top-o.bottom, tolerance)
		}
		o.room(i)
		o.room(j)
		o.move(ki, kj, step)
	}
	o.converging = true
	return nil
}

// second returns the j that, moved with i, lowers the objective most, (f_i - f_j)²/(k_ii + k_jj - 2 k_ij) with the
// constraints set aside, or -1.
func (o *smo) second(i int, ki []float64) int {
	best, square, over := -1, 0.0, 1.0 // the best quotient is square/over
	fi, kii := o.f[i], o.diag[i]
	f := o.f
	down, diag := o.down[:len(f)], o.diag[:len(f)]
	ki = ki[:len(f)]
	for j, fj := range f {
		b := fi - fj - down[j]
		a := kii + diag[j] - 2*ki[j]
		if a <= 0 {
			a = tau
		}
		// b |b| is below 0 where b is, which spares a branch that is hard to predict.
		if bb := b * math.Abs(b); bb*over >= square*a && b > 0 {
			best, square, over = j, bb, a
		}
	}
	return best
}

// move updates f for β_i grown by step and β_j shrunk by it, whose rows are ki and kj, and finds its extremes.
func (o *smo) move(ki, kj []float64, step float64) {
	f := o.f
	ki, kj, up, down := ki[:len(f)], kj[:len(f)], o.up[:len(f)], o.down[:len(f)]
	first, worst, top, bottom := 0, 0, math.Inf(-1), math.Inf(1)
	for k := range f {
		v := f[k] - step*(ki[k]-kj[k])
		f[k] = v
		if u := v + up[k]; u >= top {
			first, top = k, u
		}
		if d := v + down[k]; d < bottom {
			worst, bottom = k, d
		}
	}
	o.first, o.worst, o.top, o.bottom = first, worst, top, bottom
}

// machine returns the solution with the caller's labels. The bias is the mean of f over the free coefficients; where there
// are none, it is the middle of what the others allow.
func (o *smo) machine() *Machine {
	m := &Machine{Coefficients: make([]float64, len(o.f)), Violation: max(0, o.top-o.bottom), Iterations: o.iterations}
	sum, free := 0.0, 0
	for i, b := range o.beta {
		if b != 0 {
			m.Coefficients[i] = -b
			m.Objective -= b * (o.y[i] + o.f[i]) / 2
		}
		if o.lowest[i] < b && b < o.most[i] {
			sum += o.f[i]
			free++
		}
	}
	m.Bias = -(o.top + o.bottom) / 2
	if free > 0 {
		m.Bias = -sum / float64(free)
	}
	return m
}
