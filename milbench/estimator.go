package milbench

import (
	"context"
	"fmt"
	"sync"
)

// Estimator is a classical learner: a struct of its hyperparameters, each with a JSON name, that fits one model at a time.
// Package onebyone makes a [Learner] of it.
//
// An estimator may have more methods, which are asked where they are there:
//
//	Validate() error              // reports the first hyperparameter that makes no sense
//	Takes() Takes                 // what it can learn; else binary targets, dense or sparse
//	Cost(bags []Instances) Cost   // what a fit on these training bags takes, about
//	Shares() string               // what of the setting decides what it keeps in [Training.Shared]; else fits share nothing
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

	// Shared, where it is not nil, has all bags of the training part, of which Bags may be some: the rest is held out by an inner fold.
	// An estimator may look at their instances, not at their targets.
	Shared *Shared
}

// Share returns Shared, or a new one of Bags alone, and where in it the Bags stand. What [Training.Validate] reports is an error;
// the bags that fits share are looked at once.
func (t Training) Share() (s *Shared, rows []int, err error) {
	if err := t.validateTargets(); err != nil {
		return nil, nil, err
	}
	if s = t.Shared; s == nil {
		if err := validateBags(t.Bags); err != nil {
			return nil, nil, err
		}
		s = NewShared(t.Bags)
	} else if _, err := Once(s, "valid bags", func() (bool, error) { return true, validateBags(s.Bags) }); err != nil {
		return nil, nil, err
	}
	rows = make([]int, 0, len(t.Bags))
	for i, b := range t.Bags {
		row, found := s.Row(b)
		if !found {
			return nil, nil, fmt.Errorf("training bag %d is not among those that fits share", i)
		}
		rows = append(rows, row)
	}
	return s, rows, nil
}

// Shared keeps what fits on parts of the same bags have in common (distances between the bags, say). It is made once.
type Shared struct {
	Bags []Instances

	row    map[Instances]int
	mu     sync.Mutex
	values map[string]*sharedValue
}

type sharedValue struct {
	once  sync.Once
	value any
	err   error
}

// NewShared returns one of bags, which may be one and the same.
func NewShared(bags []Instances) *Shared {
	s := &Shared{Bags: bags, row: make(map[Instances]int, len(bags)), values: make(map[string]*sharedValue)}
	for i, b := range bags {
		if _, found := s.row[b]; !found {
			s.row[b] = i
		}
	}
	return s
}

// Row returns where a bag stands in Bags.
func (s *Shared) Row(bag Instances) (int, bool) {
	row, found := s.row[bag]
	return row, found
}

// Once returns what of a shared is kept under a key, which is made once. What could not be made is tried again.
func Once[T any](s *Shared, key string, make func() (T, error)) (T, error) {
	s.mu.Lock()
	kept := s.values[key]
	if kept == nil {
		kept = new(sharedValue)
		s.values[key] = kept
	}
	s.mu.Unlock()
	kept.once.Do(func() { kept.value, kept.err = make() })
	if kept.err != nil {
		s.mu.Lock()
		if s.values[key] == kept {
			delete(s.values, key)
		}
		s.mu.Unlock()
		var none T
		return none, kept.err
	}
	return kept.value.(T), nil
}

// Validate reports a bag that is malformed or as wide as no other, and targets that are none of their kind, one for each bag.
func (t Training) Validate() error {
	if err := t.validateTargets(); err != nil {
		return err
	}
	return validateBags(t.Bags)
}

// validateTargets reports targets that are none of their kind, one for each bag.
func (t Training) validateTargets() error {
	if len(t.Targets) != len(t.Bags) {
		return fmt.Errorf("%d targets for %d training bags", len(t.Targets), len(t.Bags))
	}
	for i, target := range t.Targets {
		if err := target.validate(t.Kind, t.Classes); err != nil {
			return fmt.Errorf("training bag %d has %w", i, err)
		}
	}
	return nil
}

// Model scores bags.
type Model interface {
	// Predict returns the score of a bag, the winners and, where the model has them, the scores of its instances.
	Predict(bag Instances) (Prediction, error)
}

// InstanceScorer is a [Model] whose scores of instances take longer than that of their bag, so that Predict leaves them out.
type InstanceScorer interface {
	// InstanceScores returns, for each of the scores of the bag, a score for each instance: of classes [Prediction.ClassInstances].
	InstanceScores(bag Instances) ([][]float64, error)
}

// Cost is what a fit takes, about.
type Cost struct {
	Seconds float64 // of one core of 4 GHz
	Shared  float64 // the same, of what it keeps in [Training.Shared], once for all fits that share
	Memory  uint64  // bytes at the peak, beside the bags
}
