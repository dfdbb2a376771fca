package classic

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"synpool/milbench"
)

// kinds are the kinds of targets that learners take whose assumptions do not need two classes.
var kinds = []milbench.TargetKind{milbench.BinaryTarget, milbench.ClassTarget, milbench.RealTarget}

// twoClasses is the kind of targets of learners that assume that positive instances make a bag positive.
var twoClasses = kinds[:1:1]

// mostClasses bounds the classes of a model.
const mostClasses = 10_000

// targets says what the scores of a model are of, where that is no binary target.
type targets struct {
	Kind    milbench.TargetKind `json:"kind"`
	Classes int                 `json:"classes,omitempty"`
	Mean    float64             `json:"mean,omitempty"` // of real targets of the training part
	SD      float64             `json:"sd,omitempty"`   // the same, divided by n; 1 where all are equal
}

// targetsOf returns those of a training part; nil of a binary target.
func targetsOf(t milbench.Training) (*targets, error) {
	switch t.Kind {
	case milbench.BinaryTarget:
		return nil, nil
	case milbench.ClassTarget:
		return &targets{Kind: t.Kind, Classes: t.Classes}, nil
	}
	s, n, square := &targets{Kind: t.Kind}, float64(len(t.Targets)), 0.0
	for _, target := range t.Targets {
		s.Mean += target.Value / n
	}
	for _, target := range t.Targets {
		square += (target.Value - s.Mean) * (target.Value - s.Mean) / n
	}
	if math.IsInf(s.Mean, 0) || math.IsInf(square, 1) {
		return nil, errors.New("the targets of the training part are too large; give them in another unit")
	}
	if s.SD = math.Sqrt(square); !(s.SD > 1e-12*math.Abs(s.Mean)) { // all are equal, up to rounding
		s.SD = 1
	}
	return s, nil
}

// standardised returns real targets in units of the standard deviation, from the mean.
func (s *targets) standardised(all []milbench.Target) []float64 {
	values := make([]float64, len(all))
	for i, target := range all {
		values[i] = (target.Value - s.Mean) / s.SD
	}
	return values
}

// real reports whether scores are numbers in units of the targets.
func (s *targets) real() bool { return s != nil && s.Kind == milbench.RealTarget }

// unit is what a standardised value is multiplied by to be a score, or a logit.
func (s *targets) unit() float64 {
	if s.real() {
		return s.SD
	}
	return 1
}

// count returns the number of scores of a bag.
func (s *targets) count() int {
	if s != nil && s.Kind == milbench.ClassTarget {
		return s.Classes
	}
	return 1
}

// validate reports what of targets that were read makes no sense.
func (s *targets) validate() error {
	switch {
	case s == nil:
		return nil
	case s.Kind == milbench.ClassTarget && (s.Classes < 2 || s.Classes > mostClasses):
		return fmt.Errorf("%d classes; from 2 to %d are needed", s.Classes, mostClasses)
	case s.Kind == milbench.RealTarget && !(s.SD > 0 && s.SD <= math.MaxFloat64 && s.Mean-s.Mean == 0):
		return fmt.Errorf("targets with mean %v and standard deviation %v", s.Mean, s.SD)
	case s.Kind != milbench.ClassTarget && s.Kind != milbench.RealTarget:
		return fmt.Errorf("targets of kind %v", s.Kind)
	}
	return nil
}

// prediction returns that of values, logits or one for each class; of a real target the value is standardised.
func (s *targets) prediction(values []float64) (milbench.Prediction, error) {
	if s.real() {
		values[0] = s.Mean + s.SD*values[0]
	}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return milbench.Prediction{}, fmt.Errorf("the score of the bag is %v; its values must be finite", v)
		}
	}
	return milbench.Prediction{Scores: values}, nil
}

// scored returns the prediction of a logit.
func scored(score float64) (milbench.Prediction, error) {
	return (*targets)(nil).prediction([]float64{score})
}

// labelled returns which of the training bags are of a class.
func labelled(t milbench.Training, class int) []bool {
	list := make([]bool, len(t.Targets))
	for i, target := range t.Targets {
		list[i] = target.Label == class
	}
	return list
}

// share returns what fits share with that of a training part of a binary target, and where its bags stand there. It reports a
// training part that is malformed or of one class before anything is computed.
func share(t milbench.Training) (*milbench.Shared, []int, error) { return shareKinds(t, twoClasses) }

// ofKinds reports a training part whose targets are of none of some kinds.
func ofKinds(t milbench.Training, kinds []milbench.TargetKind) error {
	switch {
	case slices.Contains(kinds, t.Kind):
		return nil
	case len(kinds) == 1:
		return fmt.Errorf("targets of kind %v; binary ones are needed", t.Kind)
	}
	return fmt.Errorf("targets of kind %v; binary ones, classes or real ones are needed", t.Kind)
}

// shareKinds is share of targets of some kinds.
func shareKinds(t milbench.Training, kinds []milbench.TargetKind) (*milbench.Shared, []int, error) {
	if err := ofKinds(t, kinds); err != nil {
		return nil, nil, err
	}
	if t.Kind == milbench.ClassTarget && t.Classes > mostClasses {
		return nil, nil, fmt.Errorf("%d classes; at most %d are possible", t.Classes, mostClasses)
	}
	s, rows, err := t.Share()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case t.Kind == milbench.RealTarget && len(rows) == 0:
		return nil, nil, errors.New("the training part has no bags")
	case t.Kind != milbench.RealTarget && !slices.ContainsFunc(t.Targets, func(target milbench.Target) bool { return target.Label != t.Targets[0].Label }):
		return nil, nil, errOneClass
	}
	return s, rows, nil
}

// errOneClass is the error about a training part of one class.
var errOneClass = errors.New("the training part has bags of one class; both are needed")
