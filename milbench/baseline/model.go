package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/lbfgs"
	"synpool/milbench"
)

// Model is a fitted instance classifier: the logit of an instance x is Weights x + Bias, or, with a kernel k of
// landmarks z_j, sum_j Weights_j k(x, z_j) + Bias.
type Model struct {
	Weights []float64 // one for each feature, in the features' own units; with a kernel one for each landmark
	Bias    float64
	Loss    float64 // mean over the training instances, weighted as the setting says, without the penalty

	features int // of an instance
	kernel   *kernel
	scale    scale
}

// When a fit has converged: no derivative of the objective, divided by C times the sum of the s_i, is larger than this.
const (
	tolerance  = 1e-6
	iterations = 10_000
)

// ErrNotConverged is wrapped by the error about a fit that did not reach its minimum.
var ErrNotConverged = lbfgs.ErrNotConverged

// Fit finds the weights for the training bags by L-BFGS from zero. The same bags in the same order give the same bits on
// one machine. It stops with the error of the context when that ends. That a bag is malformed or as wide as no other, in
// training or not, is an error, as is a bag in training that is not there or has another label than 0 and 1
// ([milbench.Task.Validate]), and a training part without instances of both classes.
func (c Config) Fit(ctx context.Context, bags []milbench.Matrix, train []milbench.Example) (*Model, error) {
	if err := (milbench.Task{Name: "instance classifier", Bags: bags, Fits: []milbench.Fit{{Train: train}}}).Validate(); err != nil {
		return nil, err
	}
	return c.fit(ctx, bags, train)
}

// fit is [Config.Fit] of bags and labels that are known to be valid.
func (c Config) fit(ctx context.Context, bags []milbench.Matrix, train []milbench.Example) (*Model, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	var chosen []milbench.Matrix
	var signs []float64
	var count [2]int // instances of each class
	for _, e := range train {
		m := bags[e.Bag]
		chosen = append(chosen, m)
		for range m.Rows {
			signs = append(signs, float64(2*e.Label-1))
		}
		count[e.Label] += m.Rows
	}
	if count[0] == 0 || count[1] == 0 {
		return nil, fmt.Errorf("%d instances of negative and %d of positive training bags; both are needed", count[0], count[1])
	}
	x, s, err := standardised(chosen)
	if err != nil {
		return nil, err
	}
	var k *kernel
	inputs := x
	if c.Gamma > 0 {
		if k, err = newKernel(x, c.Gamma, mostLandmarks); err != nil {
			return nil, err
		}
		inputs = k.features(x)
	}
	f := &objective{x: inputs, signs: signs, share: [2]float64{1, 1}, penalty: 1 / (c.C * float64(x.Rows)), loss: c.Loss}
	for label, n := range count {
		if c.Weighted {
			f.share[label] = float64(x.Rows) / float64(2*n)
		}
		f.share[label] /= float64(x.Rows)
	}
	found, err := lbfgs.Minimise(ctx, inputs.Cols+1, f.compute, tolerance, iterations)
	if errors.Is(err, ErrNotConverged) {
		err = fmt.Errorf("%w; lower c", err)
	}
	if err != nil {
		return nil, fmt.Errorf("instance classifier, %s loss, c %v: %w", c.Loss, c.C, err)
	}

	m := &Model{Weights: found[:inputs.Cols], Bias: found[inputs.Cols], Loss: f.meanLoss, features: x.Cols, kernel: k, scale: s}
	if k != nil {
		k.coefficients(m.Weights)
		return m, nil
	}
	for j := range m.Weights { // w (x - shift) factor + b, as a function of x
		m.Weights[j] *= s.factor[j]
		m.Bias -= m.Weights[j] * s.shift[j]
	}
	return m, nil
}

// Scores returns the logit of each instance of a bag.
func (m *Model) Scores(bag milbench.Matrix) ([]float64, error) {
	features := m.features
	if m.kernel == nil {
		features = len(m.Weights)
	}
	if bag.Cols != features {
		return nil, fmt.Errorf("a bag of %d features for a model of %d", bag.Cols, features)
	}
	scores := make([]float64, bag.Rows)
	var row, values []float64
	if m.kernel != nil {
		row, values = make([]float64, bag.Cols), make([]float64, len(m.Weights))
	}
	for i := range scores {
		scores[i] = m.Bias
		if m.kernel == nil {
			bag.Each(i, func(j int, v float64) { scores[i] += m.Weights[j] * v })
		} else {
			bag.Row(i, row)
			for j := range row {
				row[j] = (row[j] - m.scale.shift[j]) * m.scale.factor[j]
			}
			m.kernel.to(row, values)
			scores[i] += floats.Dot(values, m.Weights)
		}
		if math.IsNaN(scores[i]) || math.IsInf(scores[i], 0) {
			return nil, fmt.Errorf("instance %d: its score is %v; its values must be finite", i+1, scores[i])
		}
	}
	return scores, nil
}

// Score returns the maximum of the instances' logits, which instance has it, the first of equals, and all of them.
func (m *Model) Score(bag milbench.Matrix) (milbench.BagScore, error) {
	scores, err := m.Scores(bag)
	if err != nil {
		return milbench.BagScore{}, err
	}
	if len(scores) == 0 {
		return milbench.BagScore{}, errors.New("an empty bag has no score")
	}
	winner := floats.MaxIdx(scores)
	return milbench.BagScore{Score: scores[winner], Winners: []int{winner}, Weights: scores}, nil
}
