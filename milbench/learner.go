package milbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Example is a training bag: its index in [Task.Bags] and its target.
type Example struct {
	Bag int
	Target
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
	// [Epoch.Validation]. A model trained on the whole part scores the test bags. Validation is empty if Inner is
	// not.
	Inner [][]int

	// EveryEpoch asks for the scores of validation and test bags after every epoch. By default only the last epoch is
	// scored.
	EveryEpoch bool

	// Instances asks for [Prediction.Instances] of the test bags in every epoch that is returned.
	Instances bool
}

// Task is the part of a set that a learner may see.
type Task struct {
	Name    string      // name of the set, for messages
	Bags    []Instances // instances of each bag
	Groups  []string    // group of each bag, see [Bag.Group]; nil if there are none
	Kind    TargetKind
	Classes int // 2 for a binary target, 0 for a target without classes
	Fits    []Fit

	// See [Set.Missing] and [Set.Words]. Package learner uses them to prepare the bags of each fit ([Preparation]). A
	// learner that is not in its registry finds zeros for missing values.
	Missing []Missing
	Words   []int
}

// Prediction is the output of a trained model for one bag.
type Prediction struct {
	// Scores depends on the target. Binary: one logit of the positive class. Classes: one logit per class. Real: the
	// value. Survival: the logarithm of the risk, or for models joined by rank a number that orders bags by risk.
	Scores []float64

	// Survival is the predicted survival curve. It is nil for other targets, and for models that only order bags.
	Survival *Survival

	// Weights has the weight of each instance, for each head of a network's pooling. It is nil for other models and in the
	// outcomes of fits.
	Weights [][]float64

	// Winners has the instance with the largest weight for each head, the first one if several are equal; nil if all
	// weights are equal.
	Winners []int

	// Instances has one score per instance if [Fit.Instances] asks for it and the learner provides it. A larger score
	// means that the instance matters more in its bag. It is the pooling weight averaged over the heads, the score of
	// an instance classifier, or for an ensemble the mean over its members. Scores from different bags cannot be
	// compared.
	Instances []float64

	// ClassInstances has one such score for each class and instance: how strongly the instance speaks for the class.
	// Instances then has the scores for the bag's class or, for a network, the weights.
	ClassInstances [][]float64

	// Members has the scores from each member of an ensemble.
	Members [][]float64
}

// Probability returns the sigmoid of the first score, which is the probability of the positive class if that is a logit.
func (p Prediction) Probability() float64 { return 1 / (1 + math.Exp(-p.Scores[0])) }

// Finite reports whether all scores are finite.
func (p Prediction) Finite() bool {
	return !slices.ContainsFunc(p.Scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// MeanWeights returns the weights of each instance, averaged over the heads.
func (p Prediction) MeanWeights() []float64 {
	var mean []float64
	for h, weights := range p.Weights {
		if h == 0 {
			mean = make([]float64, len(weights))
		}
		for i, w := range weights {
			mean[i] += w / float64(len(p.Weights))
		}
	}
	return mean
}

// Shares returns each instance's share of the bag: its weights, averaged over the heads and scaled to sum 1. Weights
// after Syn steps do not sum to 1.
func (p Prediction) Shares() []float64 {
	shares, sum := p.MeanWeights(), 0.0
	for _, s := range shares {
		sum += s
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// Scored returns a prediction with a single score, as for a binary target.
func Scored(score float64) Prediction { return Prediction{Scores: []float64{score}} }

// HeldOut returns the bags that [Epoch.Validation] has predictions for, in the same order.
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

// Epoch has the scores after one training epoch, in the order of [Fit.HeldOut] and [Fit.Test].
type Epoch struct {
	Number     int     // from 1
	Loss       float64 // mean training loss over the training bags
	Validation []Prediction
	Test       []Prediction
}

// Outcome is a finished fit.
type Outcome struct {
	Fit    int     // index in [Task.Fits]
	Epochs []Epoch // every epoch, or only the last
	Wall   time.Duration
	Err    error // why this fit failed; other fits continue

	Portfolio []Weighted // for a fit that joins models: the models with weight
}

// Weighted is a model that has weight in a joined model.
type Weighted struct {
	Setting json.RawMessage `json:"config"`
	Weight  float64         `json:"weight"` // weights of all models sum to 1
	// Figure is the main figure for the kind of target (AUC, macro AUC, R², concordance) on held-out bags of the
	// training part, averaged over inner folds. Files call it "auc" for every kind.
	Figure float64 `json:"auc"`
	Epoch  int     `json:"epoch"` // from 1, see [Epoch]
}

// Learner trains fits and scores bags. Networks, classical learners and ensembles implement it.
type Learner interface {
	// Takes returns the kinds of tasks that the learner can learn.
	Takes() Takes

	// Learn trains all fits of a task, in any order or together, and passes each outcome to done when it finishes.
	// Calls of done do not overlap. Learn returns after the last fit, or earlier with an error: the context's,
	// done's, or one that concerns the whole task.
	Learn(ctx context.Context, task Task, done func(Outcome) error) error

	// Plan estimates the cost of a task's fits without training. It returns an error if the learner cannot learn the
	// task or if the task does not fit into its memory. Fits with invalid settings are in no group.
	Plan(task Task) (Plan, error)
}

// Takes describes the tasks that a learner can learn.
type Takes struct {
	Name          string       // name of the learner, for messages
	Kinds         []TargetKind // kinds of targets
	Dense, Sparse bool         // which instances it takes
	MaxInstances  int          // per bag; 0 means no limit
	MaxFeatures   int          // 0 means no limit
}

// Check returns an error if the learner cannot learn the task. The error says what the learner takes instead.
func (t Takes) Check(task Task) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s: %s %s", cmp.Or(task.Name, "task"), cmp.Or(t.Name, "the learner"), fmt.Sprintf(format, args...))
	}
	if !slices.Contains(t.Kinds, task.Kind) {
		var kinds []string
		for _, k := range t.Kinds {
			kinds = append(kinds, k.String())
		}
		return fail("cannot learn targets of kind %v; it learns: %s", task.Kind, strings.Join(kinds, ", "))
	}
	for _, x := range task.Bags {
		switch sparse := IsSparse(x); {
		case sparse && !t.Sparse:
			return fail("takes no sparse bags")
		case !sparse && !t.Dense:
			return fail("takes sparse bags alone")
		case t.MaxInstances > 0 && x.Len() > t.MaxInstances:
			return fail("takes bags of at most %d instances; the largest has %d: give a part of its instances, or take a learner without a bound, statistics-trees say",
				t.MaxInstances, slices.MaxFunc(task.Bags, func(a, b Instances) int { return a.Len() - b.Len() }).Len())
		case t.MaxFeatures > 0 && x.Features() > t.MaxFeatures:
			return fail("takes at most %d features; there are %d", t.MaxFeatures, x.Features())
		}
	}
	return nil
}

// Plan is the estimated cost of a task's fits.
type Plan struct {
	Fits    int
	Blocks  int           // a block has fits that are trained side by side; a fit alone counts as one
	Members int           // number of fits in the largest block
	Workers int           // blocks trained at once
	Memory  uint64        // approximate peak, in bytes
	Time    time.Duration // approximate, on cores at 4 GHz
	Note    string        // one line on how memory use was kept within the limit, or ""
	Groups  []Group
}

// Group is a group of fits with a common preparation, such as compiling shared graphs.
type Group struct {
	Fits    []int   // indices in the task; for an ensemble one entry per member
	Members int     // fits per block; 1 if each is trained alone
	Blocks  int     // the last block may be partly empty and takes as long
	Compile float64 // approximate seconds until the first block can start, for example to compile graphs
	Block   float64 // approximate seconds per block on one core
	Memory  uint64  // approximate peak in bytes, with all workers of the plan
	Join    float64 // approximate seconds until an additional worker can start; 0 means the same as Compile
}

// Validate returns the first reason why t cannot be learnt: malformed bags, bags of unequal width, a fit with a bag
// that does not exist, or a target of the wrong kind. The error counts bags and fits from 0, as t does, and instances
// and features from 1.
func (t Task) Validate() error {
	name := cmp.Or(t.Name, "task")
	if t.Groups != nil && len(t.Groups) != len(t.Bags) {
		return fmt.Errorf("%s: %d groups for %d bags", name, len(t.Groups), len(t.Bags))
	}
	if err := validateBags(t.Bags); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(t.Bags) > 0 {
		if err := checkPrepared(t.Missing, t.Words, t.Bags[0].Features()); err != nil {
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

// validateBags returns an error for a malformed bag or bags of unequal width.
func validateBags(bags []Instances) error {
	for i, x := range bags {
		if x == nil {
			return fmt.Errorf("bag %d has no instances", i)
		}
		if n := x.Features(); n < 1 || n != bags[0].Features() {
			return fmt.Errorf("bag %d has %d features, bag 0 has %d; all have the same, at least 1", i, n, bags[0].Features())
		}
		if err := ValidateInstances(x); err != nil {
			return fmt.Errorf("bag %d: %w", i, err)
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
		if err := e.Target.validate(t.Kind, t.Classes); err != nil {
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
