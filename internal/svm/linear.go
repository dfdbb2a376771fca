package svm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Penalty is the penalty on the weights of a hyperplane.
type Penalty int

const (
	L2 Penalty = iota // ½ Σ_j w_j²
	L1                // Σ_j |w_j|, which makes many weights 0
)

// Linear is a linear classifier with squared hinge loss. [FitLinear] finds the w and b that minimise
//
//	penalty(w, v) + Σ_i C_i max(0, 1 - y_i (w·x_i + b))²,  b = InterceptScaling v.
//
// The bias is the weight v of an extra feature that equals InterceptScaling in all examples. It is therefore penalised too,
// but less with a larger InterceptScaling. With InterceptScaling 0 there is no bias.
//
// L2 is solved by dual coordinate descent: C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A dual
// coordinate descent method for large-scale linear SVM", ICML 2008, algorithm 3. L1 is solved by coordinate descent with a
// line search: R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin, "LIBLINEAR: a library for large linear
// classification", JMLR 9 (2008), appendix. Both use shrinking, and stop like LIBLINEAR's solvers 1 and 5.
type Linear struct {
	Penalty          Penalty
	C                float64 // cost of an example of weight 1
	InterceptScaling float64
	// Tolerance is the largest violation allowed. L2: maximum minus minimum of the projected gradient of the dual. L1: the
	// sum of the violations of the features divided by that of w = 0, times n divided by the size of the smaller class.
	Tolerance     float64
	MaxIterations int    // maximum number of passes over the examples (L2) or the features (L1)
	Seed          uint64 // seed of the order in a pass
}

// DefaultLinear returns an L2 penalty, C = 1, scikit-learn's intercept scaling (1) and tolerance (1e-4), and at most 100,000
// passes.
func DefaultLinear() Linear {
	return Linear{Penalty: L2, C: 1, InterceptScaling: 1, Tolerance: 1e-4, MaxIterations: 100_000}
}

// Hyperplane is a fitted linear classifier.
type Hyperplane struct {
	Weights    []float64 // w, [features]
	Bias       float64   // b
	Objective  float64   // of the primal, as in [Linear]
	Violation  float64   // in the units of the tolerance
	Iterations int       // passes
}

// Decision returns w·x + b of x[features].
func (h *Hyperplane) Decision(x []float64) float64 {
	x = x[:len(h.Weights)]
	sum := 0.0
	for j, w := range h.Weights {
		sum += w * x[j]
	}
	return sum + h.Bias
}

// Dense is a matrix of n vectors: feature j of example i is Values[i Features + j].
type Dense struct {
	Values      []float64
	N, Features int
}

func (x Dense) row(i int) []float64 { return x.Values[i*x.Features:][:x.Features] }

// FitLinear fits a hyperplane to the examples x with labels positive[n] and weights[n]; nil weights are all 1. It copies x
// once if the penalty is L1.
//
// It returns an error if the numbers of examples differ, or a setting, weight or value is out of range or not finite. Other
// errors are that of ctx, [ErrOneClass] and [ErrNotConverged].
func FitLinear(ctx context.Context, s Linear, x Dense, positive []bool, weights []float64) (*Hyperplane, error) {
	if x.N < 1 || x.Features < 1 || len(x.Values)%x.Features != 0 || len(x.Values)/x.Features != x.N {
		return nil, fmt.Errorf("svm: %d values are no matrix of %d rows of %d", len(x.Values), x.N, x.Features)
	}
	if len(positive) != x.N {
		return nil, fmt.Errorf("svm: %d labels for %d vectors", len(positive), x.N)
	}
	if err := limits(s.Tolerance, s.MaxIterations); err != nil {
		return nil, err
	}
	if !(s.InterceptScaling >= 0) || math.IsInf(s.InterceptScaling, 1) {
		return nil, fmt.Errorf("svm: an intercept scaling of %v, want a finite number of at least 0", s.InterceptScaling)
	}
	cost, err := costs(s.C, len(positive), weights)
	if err != nil {
		return nil, err
	}
	if err := bothClasses(cost, positive); err != nil {
		return nil, err
	}
	for i := range x.N {
		for j, v := range x.row(i) {
			if v-v != 0 { // NaN or infinite
				return nil, fmt.Errorf("svm: feature %d of example %d is %v", j, i, v)
			}
		}
	}
	var h *Hyperplane
	switch s.Penalty {
	case L2:
		rows := make([][]float64, x.N)
		for i := range rows {
			rows[i] = x.row(i)
		}
		h, err = s.fitL2(ctx, rows, positive, cost)
	case L1:
		h, err = s.fitL1(ctx, columnsOf(x, positive, s.InterceptScaling), positive, cost)
	default:
		return nil, fmt.Errorf("svm: no penalty %d", s.Penalty)
	}
	if h == nil {
		return nil, err
	}
	if h.Objective = s.objective(h, x, positive, cost); math.IsNaN(h.Objective) || math.IsInf(h.Objective, 0) {
		return nil, fmt.Errorf("svm: values too large, the objective is %v", h.Objective)
	}
	return h, err
}

// objective returns the objective of [Linear].
func (s Linear) objective(h *Hyperplane, x Dense, positive []bool, cost []float64) float64 {
	v := 0.0
	if s.InterceptScaling > 0 {
		v = h.Bias / s.InterceptScaling
	}
	sum := 0.0
	if s.Penalty == L1 {
		sum = floats.Norm(h.Weights, 1) + math.Abs(v)
	} else {
		sum = (floats.Dot(h.Weights, h.Weights) + v*v) / 2
	}
	for i, c := range cost {
		if c > 0 {
			miss := max(0, 1-sign(positive[i])*h.Decision(x.row(i)))
			sum += c * miss * miss
		}
	}
	return sum
}

// shuffle orders the first k of order at random.
func shuffle(r *rand.Rand, order []int) {
	r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
}

// fitL2 solves the dual: it minimises ½ |Σ_i α_i y_i x_i|² + Σ_i α_i²/(4 C_i) - Σ_i α_i over α ≥ 0, one α_i at a time.
// Occasionally it takes a Newton step of all α_i above 0.
func (s Linear) fitL2(ctx context.Context, x [][]float64, positive []bool, cost []float64) (*Hyperplane, error) {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	var all []int // the examples that count
	y, diag, curvature, alpha := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	b2 := s.InterceptScaling * s.InterceptScaling
	for i, c := range cost {
		if c == 0 {
			continue
		}
		all = append(all, i)
		y[i], diag[i] = sign(positive[i]), 0.5/c
		curvature[i] = diag[i] + floats.Dot(x[i], x[i]) + b2
	}
	h := &Hyperplane{Weights: make([]float64, len(x[0]))}
	var p pace
	var at []int               // the examples with α above 0
	var products *mat.SymDense // computed once a Newton step needs them
	active, shrinkAbove := len(all), math.Inf(1)
	for {
		if h.Iterations == s.MaxIterations {
			return h, fmt.Errorf("%w: a violation of %v after %d passes, the tolerance is %v", ErrNotConverged, h.Violation, s.MaxIterations, s.Tolerance)
		}
		h.Iterations++
		top, bottom := math.Inf(-1), math.Inf(1)
		shuffle(random, all[:active])
		for at := 0; at < active; at++ {
			if at%checkEvery == 0 {
				if err := cancelled(ctx); err != nil {
					return nil, err
				}
			}
			i := all[at]
			g := y[i]*(floats.Dot(h.Weights, x[i])+h.Bias) - 1 + alpha[i]*diag[i]
			projected := g
			if alpha[i] == 0 {
				if g > shrinkAbove {
					active--
					all[at], all[active] = all[active], all[at]
					at--
					continue
				}
				projected = min(g, 0)
			}
			top, bottom = max(top, projected), min(bottom, projected)
			if math.Abs(projected) > 1e-12 {
				old := alpha[i]
				alpha[i] = max(old-g/curvature[i], 0)
				d := (alpha[i] - old) * y[i]
				floats.AddScaled(h.Weights, d, x[i])
				h.Bias += d * b2
			}
		}
		h.Violation = max(0, top-bottom)
		if h.Violation <= s.Tolerance {
			if active == len(all) {
				return h, nil
			}
			active, shrinkAbove = len(all), math.Inf(1)
			continue
		}
		shrinkAbove = math.Inf(1)
		if top > 0 {
			shrinkAbove = top
		}
		at = at[:0]
		for _, i := range all {
			if alpha[i] > 0 {
				at = append(at, i)
			}
		}
		pass := 2 * float64(active) * float64(len(x[0]))
		making := 0.0
		if products == nil {
			making = float64(len(x)) * float64(len(x)) * float64(len(x[0])) / 2
		}
		if len(x) <= newtonLimit && p.due(len(at), making, pass) {
			if products == nil {
				products = signedProducts(x, y, diag, b2)
			}
			steps, lower := newtonDual(ctx, products, diag, alpha)
			p.done(steps, lower)
			if lower {
				clear(h.Weights)
				h.Bias = 0
				for _, i := range all {
					floats.AddScaled(h.Weights, alpha[i]*y[i], x[i])
					h.Bias += alpha[i] * y[i] * b2
				}
				active, shrinkAbove = len(all), math.Inf(1)
			}
		}
	}
}

// signedProducts returns the matrix of the dual, y_i y_j (x_i·x_j + b²), with diag added to its diagonal.
func signedProducts(x [][]float64, y, diag []float64, b2 float64) *mat.SymDense {
	s := mat.NewSymDense(len(x), nil)
	for i, row := range x {
		for j := i; j < len(x); j++ {
			s.SetSym(i, j, y[i]*y[j]*(floats.Dot(row, x[j])+b2))
		}
		s.SetSym(i, i, s.At(i, i)+diag[i])
	}
	return s
}
