package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Sigmoid is Platt's curve for a score z:
//
//	p = 1/(1+exp(−(a z + b)))
//
// a and b minimise the log-loss for smoothed targets: (n₁+1)/(n₁+2) for each of n₁ positive bags and 1/(n₀+2) for
// each of n₀ negative ones. Smoothing keeps a finite if the scores separate the classes. a is negative if high scores
// belong to negative bags.
//
// The minimum is found by Newton's method with backtracking. scikit-learn's _SigmoidCalibration finds the same
// minimum by L-BFGS, to fewer digits; its A = −a and B = −b.
//
// Sources: J. C. Platt (1999), see [Fit]; H.-T. Lin, C.-J. Lin and R. C. Weng, "A note on Platt's probabilistic
// outputs for support vector machines", Machine Learning 68 (2007).
type Sigmoid struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

// Probability returns the probability for a score.
func (s Sigmoid) Probability(score float64) float64 { return logistic(s.A*score + s.B) }

func (s Sigmoid) validate() error {
	if math.IsNaN(s.A-s.A) || math.IsNaN(s.B-s.B) {
		return fmt.Errorf("a sigmoid of a = %v and b = %v", s.A, s.B)
	}
	return nil
}

// fitSigmoid fits a sigmoid to bags of both classes. It standardises the scores first, so their unit does not matter.
func fitSigmoid(positive []bool, scores []float64) (Sigmoid, error) {
	n := float64(len(scores))
	mean, sd, ones := 0.0, 0.0, 0.0
	for i, s := range scores {
		mean += s / n
		if positive[i] {
			ones++
		}
	}
	for _, s := range scores {
		sd += (s - mean) * (s - mean) / n
	}
	sd = math.Sqrt(sd)
	if slices.Min(scores) == slices.Max(scores) || sd == 0 { // all bags get the same probability
		target := (ones*(ones+1)/(ones+2) + (n-ones)/(n-ones+2)) / n
		return Sigmoid{B: math.Log(target / (1 - target))}, nil
	}
	x, t := make([]float64, len(scores)), make([]float64, len(scores))
	for i, s := range scores {
		x[i], t[i] = (s-mean)/sd, 1/(n-ones+2)
		if positive[i] {
			t[i] = (ones + 1) / (ones + 2)
		}
	}
	a, b, err := newton(x, t, math.Log((ones+1)/(n-ones+1)))
	if err != nil {
		return Sigmoid{}, err
	}
	s := Sigmoid{A: a / sd, B: b - a*mean/sd}
	if err := s.validate(); err != nil {
		return Sigmoid{}, fmt.Errorf("the scores differ too little: %w", err)
	}
	return s, nil
}

// newton minimises the sum of log(1+exp(z)) − t z with z = a x + b over a and b, starting from 0 and b.
func newton(x, t []float64, b float64) (float64, float64, error) {
	const (
		iterations = 100
		ridge      = 1e-12 // keeps the Hessian regular
		smallest   = 1e-10 // smallest step of the line search
	)
	loss := func(a, b float64) (sum float64) {
		for i := range x {
			z := a*x[i] + b
			sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - t[i]*z
		}
		return sum
	}
	a := 0.0
	value, steepest := loss(a, b), math.Inf(1)
	for range iterations {
		var ga, gb, haa, hab, hbb float64
		for i := range x {
			p := logistic(a*x[i] + b)
			off, w := p-t[i], p*(1-p)
			ga, gb = ga+off*x[i], gb+off
			haa, hab, hbb = haa+w*x[i]*x[i], hab+w*x[i], hbb+w
		}
		steepest = max(math.Abs(ga), math.Abs(gb))
		haa, hbb = haa+ridge, hbb+ridge
		det := haa*hbb - hab*hab
		da, db := -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
		down, step := ga*da+gb*db, 1.0
		for ; step >= smallest; step /= 2 {
			if next := loss(a+step*da, b+step*db); next <= value+1e-4*step*down {
				a, b, value = a+step*da, b+step*db, next
				break
			}
		}
		if step < smallest || math.Abs(da)+math.Abs(db) <= 1e-15*(math.Abs(a)+math.Abs(b)) { // no further digit to gain
			break
		}
	}
	if !(steepest <= 1e-6*float64(len(x))) {
		return 0, 0, errors.New("the sigmoid of the scores was not found: Newton's method did not converge")
	}
	return a, b, nil
}
