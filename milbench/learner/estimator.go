package learner

import (
	"context"
	"fmt"
	"sync"

	"synpool/milbench/mil"
)

// Estimator is a classical learner that fits one model at a time. It is a struct whose fields are its
// hyperparameters, each with a JSON name. [Classical] turns it into a [Learner].
//
// An estimator may implement these optional methods:
//
//	Validate() error              // reports the first invalid hyperparameter
//	Takes() Takes                 // which tasks it can learn; default: binary targets, dense or sparse
//	Cost(bags []Instances) Cost   // approximate cost of a fit on these training bags
//	Shares() string               // the part of the setting that determines what it keeps in [Training.Shared]; default: fits share nothing
type Estimator interface {
	// Fit trains a model on the training part. The same part and seed give the same model. If the context ends, Fit
	// stops and returns the context's error.
	Fit(ctx context.Context, train Training) (Model, error)
}

// Training is the data that a model is trained on.
type Training struct {
	Bags    []mil.Instances
	Targets []mil.Target // one per bag
	Kind    mil.TargetKind
	Classes int    // 2 for a binary target, 0 for a target without classes
	Seed    uint64 // random seed

	// Shared, if not nil, has all bags of the training part. Bags may be only some of them, because an inner fold
	// holds out the rest. An estimator may look at their instances but not at their targets.
	Shared *Shared
}

// Share returns Shared and the positions of Bags in it. If Shared is nil, it returns a new one that has only Bags. It
// returns an error if [Training.Validate] would; bags shared by several fits are checked only once.
func (t Training) Share() (s *Shared, rows []int, err error) {
	if err := t.validateTargets(); err != nil {
		return nil, nil, err
	}
	if s = t.Shared; s == nil {
		if err := mil.ValidateAll(t.Bags); err != nil {
			return nil, nil, err
		}
		s = NewShared(t.Bags)
	} else if _, err := Once(s, "valid bags", func() (bool, error) { return true, mil.ValidateAll(s.Bags) }); err != nil {
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

// Shared stores values that fits on parts of the same bags have in common, such as the distances between bags. Each
// value is computed once.
type Shared struct {
	Bags []mil.Instances

	row    map[mil.Instances]int
	mu     sync.Mutex
	values map[string]*sharedValue
}

type sharedValue struct {
	once  sync.Once
	value any
	err   error
}

// NewShared returns a Shared for bags. The same bag may occur more than once.
func NewShared(bags []mil.Instances) *Shared {
	s := &Shared{Bags: bags, row: make(map[mil.Instances]int, len(bags)), values: make(map[string]*sharedValue)}
	for i, b := range bags {
		if _, found := s.row[b]; !found {
			s.row[b] = i
		}
	}
	return s
}

// Row returns the index of a bag in Bags, and whether it is there.
func (s *Shared) Row(bag mil.Instances) (int, bool) {
	row, found := s.row[bag]
	return row, found
}

// Once returns the value that s stores under key. It calls make at the first use, and again after a failure.
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

// Validate returns an error if a bag is malformed or has a different width, if a target does not fit its kind, or if
// the numbers of bags and targets differ.
func (t Training) Validate() error {
	if err := t.validateTargets(); err != nil {
		return err
	}
	return mil.ValidateAll(t.Bags)
}

// validateTargets returns an error unless there is one target of the right kind for each bag.
func (t Training) validateTargets() error {
	if len(t.Targets) != len(t.Bags) {
		return fmt.Errorf("%d targets for %d training bags", len(t.Targets), len(t.Bags))
	}
	for i, target := range t.Targets {
		if err := target.Validate(t.Kind, t.Classes); err != nil {
			return fmt.Errorf("training bag %d has %w", i, err)
		}
	}
	return nil
}

// Model scores bags.
type Model interface {
	// Predict returns the score of a bag, the winners and, if the model has them, the scores of its instances.
	Predict(bag mil.Instances) (mil.Prediction, error)
}

// InstanceScorer is a [Model] that scores instances in a separate method because this takes longer than scoring the
// bag.
type InstanceScorer interface {
	// InstanceScores returns one score per instance for each score of the bag. For classes these are
	// [mil.Prediction.ClassInstances].
	InstanceScores(bag mil.Instances) ([][]float64, error)
}

// Cost is the approximate cost of a fit.
type Cost struct {
	Seconds float64 // on one core at 4 GHz
	Shared  float64 // likewise, for the values in [Training.Shared]: once for all fits that share them
	Memory  uint64  // peak bytes, not counting the bags
}
