package milbench

import (
	"context"
	"fmt"
)

// Estimator is a classical learner: a struct of its hyperparameters, each with a JSON name, that fits one model at a time.
// Package onebyone makes a [Learner] of it.
//
// An estimator may have more methods, which are asked where they are there:
//
//	Validate() error              // reports the first hyperparameter that makes no sense
//	Takes() Takes                 // what it can learn; else binary targets, dense or sparse
//	Cost(bags []Instances) Cost   // what a fit on these training bags takes, about
type Estimator interface {
	// Fit learns from the training part. The same part and the same seed give the same model. It stops with the error of
	// the context when that ends.
	Fit(ctx context.Context, train Training) (Model, error)
}

// Training is what a model is learnt from.
type Training struct {
	Bags    []Instances
	Targets []Target // of the bags
	Kind    TargetKind
	Classes int    // 2 of a binary target, 0 of one without classes
	Seed    uint64 // of whatever is random
}

// Validate reports a bag that is malformed or as wide as no other, and targets that are none of their kind, one for each bag.
func (t Training) Validate() error {
	if len(t.Targets) != len(t.Bags) {
		return fmt.Errorf("%d targets for %d training bags", len(t.Targets), len(t.Bags))
	}
	for i, target := range t.Targets {
		if err := target.validate(t.Kind, t.Classes); err != nil {
			return fmt.Errorf("training bag %d has %w", i, err)
		}
	}
	return validateBags(t.Bags)
}

// Model scores bags.
type Model interface {
	// Predict returns the score of a bag, the winners and, where the model has them, the scores of its instances.
	Predict(bag Instances) (Prediction, error)
}

// Cost is what a fit takes, about.
type Cost struct {
	Seconds float64 // of one core of 4 GHz
	Memory  uint64  // bytes at the peak, beside the bags
}
