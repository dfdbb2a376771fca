package cv

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"synpool/milbench/mil"
)

// Example is a training bag: its index in [Task.Bags] and its target.
type Example struct {
	Bag int
	mil.Target
}

// Examples returns all bags of a set as a training part.
func Examples(set *mil.Set) (all []Example) {
	for i, b := range set.Bags {
		all = append(all, Example{Bag: i, Target: b.Target})
	}
	return all
}

// Fit is one training run of a protocol. It contains the labels of its training part and no other labels of the set.
type Fit struct {
	Repeat  int
	Fold    int
	Seed    uint64          // for initial weights, order of the bags and dropout
	Order   uint64          // for the order of large bags; fits with the same order read them together
	Setting json.RawMessage // hyperparameters; only the learner knows their meaning

	Train      []Example
	Validation []int // bags held out of the training part to choose an epoch and a setting; may be empty
	Test       []int // test bags

	// Inner, if not empty, has folds of the training part, possibly from several cuts in sequence. The learner holds
	// out each fold in turn and trains on the rest with the setting. The predictions for these folds, in order, are
	// [synpool/milbench/learner.Epoch.Validation]. A model trained on the whole part scores the test bags. Validation is empty if Inner is
	// not.
	Inner [][]int

	// EveryEpoch asks for the scores of validation and test bags after every epoch. By default only the last epoch is
	// scored.
	EveryEpoch bool

	// Winners asks, with EveryEpoch, for [synpool/milbench/learner.Epoch.Winners]. Networks on small bags have them.
	Winners bool

	// Instances asks for [mil.Prediction.Instances] of the test bags in every epoch that is returned.
	Instances bool
}

// Task is the part of a set that a learner may see.
type Task struct {
	Name    string          // name of the set, for messages
	Bags    []mil.Instances // instances of each bag
	Groups  []string        // group of each bag, see [mil.Bag.Group]; nil if there are none
	Kind    mil.TargetKind
	Classes int // 2 for a binary target, 0 for a target without classes
	Fits    []Fit

	// See [mil.Set.Missing] and [mil.Set.Words]. Package learners uses them to prepare the bags of each fit ([mil.Preparation]). A
	// learner that is not in its registry finds zeros for missing values.
	Missing []mil.Missing
	Words   []int
}

// NewTask returns the part of s that a learner may see, with the given fits.
func NewTask(s *mil.Set, fits []Fit) Task {
	task := Task{Name: s.Name, Bags: s.Instances(), Kind: s.Kind, Classes: s.NumClasses(), Missing: s.Missing, Words: s.Words, Fits: fits}
	for i, b := range s.Bags {
		if b.Group != "" && task.Groups == nil {
			task.Groups = make([]string, len(s.Bags))
		}
		if task.Groups != nil {
			task.Groups[i] = b.Group
		}
	}
	return task
}

// HeldOut returns the bags that [synpool/milbench/learner.Epoch.Validation] has predictions for, in the same order.
func (f Fit) HeldOut() []int {
	if len(f.Inner) == 0 {
		return f.Validation
	}
	return slices.Concat(f.Inner...)
}

// Moved returns the fit for a task in which bag i has moved to index at[i].
func (f Fit) Moved(at []int) Fit {
	indices := func(bags []int) (list []int) {
		for _, b := range bags {
			list = append(list, at[b])
		}
		return list
	}
	train := make([]Example, len(f.Train))
	for k, e := range f.Train {
		train[k] = Example{Bag: at[e.Bag], Target: e.Target}
	}
	f.Train, f.Validation, f.Test = train, indices(f.Validation), indices(f.Test)
	inner := f.Inner
	f.Inner = nil
	for _, part := range inner {
		f.Inner = append(f.Inner, indices(part))
	}
	return f
}

// Validate returns the first reason why t cannot be learnt: malformed bags, bags of unequal width, a fit with a bag
// that does not exist, or a target of the wrong kind. The error counts bags and fits from 0, as t does, and instances
// and features from 1.
func (t Task) Validate() error {
	name := cmp.Or(t.Name, "task")
	if t.Groups != nil && len(t.Groups) != len(t.Bags) {
		return fmt.Errorf("%s: %d groups for %d bags", name, len(t.Groups), len(t.Bags))
	}
	if err := mil.ValidateAll(t.Bags); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(t.Bags) > 0 {
		if err := mil.CheckPrepared(t.Missing, t.Words, t.Bags[0].Features()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for i, f := range t.Fits {
		if err := f.validate(t); err != nil {
			return fmt.Errorf("%s: fit %d: %w", name, i, err)
		}
	}
	return nil
}

// validate returns an error for a bag that is not in the task or a target of the wrong kind.
func (f Fit) validate(t Task) error {
	bags := len(t.Bags)
	for _, e := range f.Train {
		if e.Bag < 0 || e.Bag >= bags {
			return fmt.Errorf("training bag %d of %d; bags count from 0", e.Bag, bags)
		}
		if err := e.Target.Validate(t.Kind, t.Classes); err != nil {
			return fmt.Errorf("training bag %d has %w", e.Bag, err)
		}
	}
	if len(f.Inner) > 0 && len(f.Validation) > 0 {
		return errors.New("both inner folds and a validation part")
	}
	trained := make(map[int]bool)
	for _, e := range f.Train {
		if len(f.Inner) > 0 {
			trained[e.Bag] = true
		}
	}
	for k, part := range f.Inner {
		if len(part) == 0 {
			return fmt.Errorf("inner fold %d is empty", k)
		}
		for _, i := range part {
			if !trained[i] {
				return fmt.Errorf("bag %d of inner fold %d is not in the training part", i, k)
			}
		}
	}
	for _, part := range [][]int{f.Validation, f.Test} {
		for _, i := range part {
			if i < 0 || i >= bags {
				return fmt.Errorf("bag %d of %d is to be scored", i, bags)
			}
		}
	}
	return nil
}
