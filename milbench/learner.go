package milbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Example is a training bag: its index in [Task.Bags] and its target.
type Example struct {
	Bag int
	Target
}

// Fit is one training run that a protocol asks for: the labels of its training part and nothing else about the
// labels of the set.
type Fit struct {
	Repeat  int
	Fold    int
	Seed    uint64          // fixes initial weights, order of the bags and dropout
	Order   uint64          // fixes the order of large bags, which fits of one order read together
	Setting json.RawMessage // hyperparameters, understood by the learner alone

	Train      []Example
	Validation []int // bags held out of the training part, to choose an epoch and a setting by; may be empty
	Test       []int // bags of the test part

	// Inner, where it is not empty, has folds of the training part, several cuts of it one after the other. Each is to be held out
	// in turn, by a model that is trained on the rest with the setting; their predictions are [Epoch.Validation], one fold after the other. Test
	// bags are scored by a model that is trained on the whole. There is no Validation beside it.
	Inner [][]int

	// EveryEpoch asks for the scores of validation and test bags after every epoch; otherwise only the last counts.
	EveryEpoch bool

	// Instances asks for [Prediction.Instances] of the test bags, in every epoch that is handed over.
	Instances bool
}

// Task is what a learner gets to see of a set.
type Task struct {
	Name    string      // of the set, for messages
	Bags    []Instances // of every bag
	Groups  []string    // of every bag, see [Bag.Group]; nil where there are none
	Kind    TargetKind
	Classes int // 2 of a binary target, 0 of one without classes
	Fits    []Fit

	// See [Set.Missing] and [Set.Words]. Package learner prepares the bags of each fit by them ([Preparation]); a learner that is not of its list
	// finds zeros where values are missing.
	Missing []Missing
	Words   []int
}

// Prediction is what a trained model says of one bag.
type Prediction struct {
	// Scores is, of a binary target, the logit of "positive" alone; of classes a logit for each; of a real target its value;
	// of survival the logarithm of the risk, or of models joined by rank a number that orders bags as the risk does.
	Scores []float64

	// Survival is, of survival alone, the curve that the model predicts; nil of a model that orders bags and says no more.
	Survival *Survival

	// Winners has, of each head, the instance with the largest weight; nil where all weigh the same.
	Winners []int

	// Instances has a score for each instance, where [Fit.Instances] asks and the learner has them: the more it counts in its
	// bag, the larger. It is the mean over the heads of a pooling's weights, the score that a classifier of instances gives, or
	// of an ensemble the mean of its members'. Numbers of different bags do not compare.
	Instances []float64

	// ClassInstances has, of classes, such a score for each class and instance: how much the instance says for the class. Instances
	// has those of the class of the bag, of a network the weights.
	ClassInstances [][]float64

	// Members has the scores of each member of an ensemble.
	Members [][]float64
}

// Scored returns the prediction of a single score, as of a binary target.
func Scored(score float64) Prediction { return Prediction{Scores: []float64{score}} }

// HeldOut returns the bags whose predictions [Epoch.Validation] has, in their order.
func (f Fit) HeldOut() []int {
	if len(f.Inner) == 0 {
		return f.Validation
	}
	return slices.Concat(f.Inner...)
}

// Moved returns the fit of a task in which bag i stands at place at[i].
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

// Epoch holds the scores after one epoch of training, in the order of [Fit.HeldOut] and [Fit.Test].
type Epoch struct {
	Number     int     // from 1
	Loss       float64 // mean over the training bags, in training
	Validation []Prediction
	Test       []Prediction
}

// Outcome is a finished fit.
type Outcome struct {
	Fit    int     // index in [Task.Fits]
	Epochs []Epoch // every epoch, or the last alone
	Wall   time.Duration
	Err    error // why this fit failed; the others go on

	Portfolio []Weighted // of a fit that joins models, those that count
}

// Weighted is a model that counts in a joined one.
type Weighted struct {
	Setting json.RawMessage `json:"config"`
	Weight  float64         `json:"weight"` // those of all models sum to 1
	// Figure is the main figure of the kind of target (AUC, macro AUC, R², concordance) on held-out bags of the training part, mean over
	// inner folds. In files it is named after the first.
	Figure float64 `json:"auc"`
	Epoch  int     `json:"epoch"` // from 1, see [Epoch]
}

// Learner trains fits and scores bags: networks, classical learners, ensembles of either.
type Learner interface {
	// Takes says which tasks it can learn.
	Takes() Takes

	// Learn trains all fits of a task, in any order or together, and hands each outcome to done as it finishes.
	// Calls of done do not overlap. Learn returns when every fit has been handed over, or earlier with the context's
	// error, with done's, or with one that concerns the task as a whole.
	Learn(ctx context.Context, task Task, done func(Outcome) error) error

	// Plan says what the fits of a task take, without training any. A task that the learner cannot learn is an error that
	// says why, as is one that does not fit into its memory. Fits whose settings are wrong are in no group.
	Plan(task Task) (Plan, error)
}

// Takes says which tasks a learner can learn.
type Takes struct {
	Name          string       // of the learner, for messages
	Kinds         []TargetKind // of targets
	Dense, Sparse bool         // instances that it takes
	MaxInstances  int          // of a bag; 0 is no bound
	MaxFeatures   int          // 0 is no bound
}

// Check reports why a task cannot be learnt, and what the learner takes instead.
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

// Plan is what the fits of a task take.
type Plan struct {
	Fits    int
	Blocks  int           // of fits trained side by side; a fit alone counts as one
	Members int           // fits in the largest block
	Workers int           // blocks trained at a time
	Memory  uint64        // bytes at the peak, about
	Time    time.Duration // about, on cores of 4 GHz
	Note    string        // one line on what was done to keep within the memory allowed, or ""
	Groups  []Group
}

// Group is fits of a task that are made ready together: those that share compiled graphs, say.
type Group struct {
	Fits    []int   // indices in the task; of an ensemble once a member
	Members int     // fits of a block; 1 where each is trained alone
	Blocks  int     // the last one may not be full, and takes as long
	Compile float64 // seconds, about, until the first block can begin: of compiling graphs, say
	Block   float64 // seconds of one core, about, for a block
	Memory  uint64  // bytes at the peak, about, with all workers of the plan
	Join    float64 // seconds, about, that a further worker takes until it can begin; 0 is Compile
}

// Validate reports the first reason why t cannot be learnt: malformed bags or bags of unequal width, or a fit with a bag that
// is not there or a target that is none of its kind. It counts bags and fits from 0, as t does, instances and features from 1.
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

// validateBags reports a malformed bag, and bags of unequal width.
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

// validate reports a bag that is not in the task, and a target that is none of its kind.
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
