package classic

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/internal/lbfgs"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// LinearProbe is logistic regression on the mean of a bag's instances, which forgets everything else of the bag. It minimises over
// weights w_k and biases b_k
//
//	Σ_k |w_k|² / 2  +  C Σ_i s_i (log Σ_k exp(w_k x_i + b_k) − (w_y x_i + b_y))
//
// x_i is the mean of bag i, standardised over the training bags, and y its class. s_i is 1 or, if Balanced, N / (K N_y), with N bags
// of the K classes that have any, N_y of them of class y. Biases are not penalised. Of two classes the negative one has w = b = 0, so that the score is
// the log-odds. The scores of more classes are logits: their softmax is the probability. Of classes without training bags the bias is very low.
//
// The model equals scikit-learn's LogisticRegression. Source of the name: G. Alain and Y. Bengio, "Understanding intermediate layers using
// linear classifier probes" (2016).
type LinearProbe struct {
	C        float64 `json:"c"`        // larger values weaken the penalty
	Balanced bool    `json:"balanced"` // give all classes the same total weight, however many bags they have
}

// LinearProbeEntry returns the entry of [LinearProbe] in the list of learners.
func LinearProbeEntry() learner.Entry {
	var grid []learner.Estimator
	for _, c := range []float64{0.001, 0.01, 0.1, 1} {
		grid = append(grid, &LinearProbe{C: c, Balanced: true})
	}
	return learner.Entry{
		Name: "linear-probe", Summary: "logistic regression on the mean of each feature",
		Default: func() learner.Estimator { return &LinearProbe{C: 1, Balanced: true} }, Grid: grid,
		Model: func() learner.Model { return new(linearModel) }, Logits: true,
	}
}

// classKinds are the kinds of targets of classifiers of whole bags.
var classKinds = kinds[:2:2]

// Validate reports the first invalid hyperparameter.
func (p LinearProbe) Validate() error { return above0("c", p.C) }

// Shares implements an optional method of [learner.Estimator].
func (p LinearProbe) Shares() string { return "statistics " + string(meanOnly) }

// Takes implements an optional method of [learner.Estimator].
func (p LinearProbe) Takes() learner.Takes {
	return learner.Takes{Kinds: classKinds, Dense: true, Sparse: true}
}

// Cost implements an optional method of [learner.Estimator].
func (p LinearProbe) Cost(bags []mil.Instances) learner.Cost {
	c, values := meanOnly.cost(bags)
	c.Seconds += 4 * passes * values / coreFlops
	c.Memory += uint64(8 * values)
	return c
}

// Fit implements [learner.Estimator]. Its error is [lbfgs.ErrNotConverged] if it does not converge.
func (p LinearProbe) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	shared, rows, err := begin(p, t, classKinds)
	if err != nil {
		return nil, err
	}
	v, err := meanOnly.vectors(ctx, shared)
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(len(rows), v.d, nil)
	for i, row := range rows {
		x.SetRow(i, v.row(row))
	}
	f := newProbeObjective(x, t, p)
	n := f.scores * f.d
	found, err := lbfgs.Minimise(ctx, n+f.scores, f.compute, tolerance, iterations)
	if errors.Is(err, lbfgs.ErrNotConverged) {
		err = fmt.Errorf("%w; lower c", err)
	}
	if err != nil {
		return nil, fmt.Errorf("linear probe, c %v: %w", p.C, err)
	}
	return newLinearModel(v, t, found[:n:n], found[n:])
}

// probeObjective is the objective of a [LinearProbe], divided by C Σ s_i. Its arguments are the weights [scores, features], followed by
// the biases.
type probeObjective struct {
	x         *mat.Dense // [bags, features]
	labels    []int
	share     []float64 // of the mean loss, per bag
	scores, d int       // number of scores: 1 of two classes
	penalty   float64

	products *mat.Dense // [bags, scores], then the derivatives by them
}

func newProbeObjective(x *mat.Dense, t learner.Training, p LinearProbe) *probeObjective {
	n, d := x.Dims()
	f := &probeObjective{x: x, d: d, scores: 1, share: make([]float64, n)}
	if t.Kind == mil.ClassTarget {
		f.scores = t.Classes
	}
	count := make([]float64, max(2, f.scores))
	for _, target := range t.Targets {
		f.labels = append(f.labels, target.Label)
		count[target.Label]++
	}
	total := 0.0
	for i, label := range f.labels {
		f.share[i] = 1
		if p.Balanced {
			f.share[i] = 1 / count[label]
		}
		total += f.share[i]
	}
	floats.Scale(1/total, f.share)
	f.products = mat.NewDense(n, f.scores, nil)
	f.penalty = 1 / (p.C * float64(n)) // Σ s_i is n, balanced or not
	return f
}

// compute returns the value and sets the gradient, as described by [lbfgs.Function].
func (f *probeObjective) compute(at, gradient []float64) float64 {
	n := f.scores * f.d
	w, slope := mat.NewDense(f.scores, f.d, at[:n]), mat.NewDense(f.scores, f.d, gradient[:n])
	f.products.Mul(f.x, w.T())
	floats.Scale(0, gradient[n:])
	loss := 0.0
	logits := make([]float64, max(2, f.scores))
	for i, label := range f.labels {
		row := f.products.RawRowView(i)
		own := logits[len(logits)-f.scores:] // of two classes, the first logit stays 0
		for k := range own {
			own[k] = row[k] + at[n+k]
		}
		all := floats.LogSumExp(logits)
		loss += f.share[i] * (all - logits[label])
		for k := range own {
			class := k + len(logits) - f.scores
			row[k] = math.Exp(logits[class] - all)
			if class == label {
				row[k]--
			}
			row[k] *= f.share[i]
			gradient[n+k] += row[k]
		}
	}
	slope.Mul(f.products.T(), f.x)
	floats.AddScaled(gradient[:n], f.penalty, at[:n])
	return loss + f.penalty/2*floats.Dot(at[:n], at[:n])
}
