package milbench

import (
	"context"
	"encoding/json"
	"time"
)

// Example is a training bag: its index in [Task.Bags] and its label.
type Example struct {
	Bag   int
	Label int
}

// Fit is one training run that a protocol asks for: the labels of its training part and nothing else about the
// labels of the set.
type Fit struct {
	Repeat  int
	Fold    int
	Seed    uint64          // fixes initial weights, order of the bags and dropout
	Setting json.RawMessage // hyperparameters, understood by the learner alone

	Train      []Example
	Validation []int // bags held out of the training part, to choose an epoch and a setting by; may be empty
	Test       []int // bags of the test part

	// EveryEpoch asks for the scores of validation and test bags after every epoch; otherwise only the last counts.
	EveryEpoch bool

	// Weights asks for [BagScore.Weights] of the test bags, in every epoch that is handed over.
	Weights bool
}

// Task is what a learner gets to see of a set.
type Task struct {
	Name string   // of the set, for messages
	Bags []Matrix // the instances of every bag
	Fits []Fit
}

// BagScore is what a trained model says of one bag.
type BagScore struct {
	Score   float64 // the logit of "positive"
	Winners []int   // of each head, the instance with the largest weight; nil where all weigh the same

	// Weights has a number for each instance, where [Fit.Weights] asks: the more it counts in its bag, the larger. It is the
	// mean over the heads of a pooling's weights, the score that a classifier of instances gives, or of an ensemble the mean
	// of its members'. Numbers of different bags do not compare.
	Weights []float64

	// Members has the score of each member of an ensemble ([Ensemble]).
	Members []float64
}

// Epoch holds the scores after one epoch of training, in the order of [Fit.Validation] and [Fit.Test].
type Epoch struct {
	Number     int     // from 1
	Loss       float64 // mean over the training bags, in training
	Validation []BagScore
	Test       []BagScore
}

// Outcome is a finished fit.
type Outcome struct {
	Fit    int     // index in [Task.Fits]
	Epochs []Epoch // every epoch, or the last alone
	Wall   time.Duration
	Err    error // why this fit failed; the others go on
}

// Learner trains all fits of a task, in any order or together, and hands each outcome to done as it finishes.
// Calls of done do not overlap. Learn returns when every fit has been handed over, or earlier with the context's
// error, with done's, or with one that concerns the task as a whole.
type Learner interface {
	Learn(ctx context.Context, task Task, done func(Outcome) error) error
}
