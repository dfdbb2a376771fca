package classic

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// kinds are the kinds of targets for learners that do not assume two classes.
var kinds = []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget}

// twoClasses is the kind of target for learners that assume that positive instances make a bag positive.
var twoClasses = kinds[:1:1]

// mostClasses is the limit of classes of a model.
const mostClasses = 10_000

// targets describes the targets that a model's scores predict, if they are not binary.
type targets struct {
	Kind    mil.TargetKind `json:"kind"`
	Classes int            `json:"classes,omitempty"`
	Mean    float64        `json:"mean,omitempty"` // of the real targets in the training part
	SD      float64        `json:"sd,omitempty"`   // standard deviation, divided by n; 1 if all are equal
}

// targetsOf returns the targets of a training part, or nil for a binary target.
func targetsOf(t learner.Training) (*targets, error) {
	switch t.Kind {
	case mil.BinaryTarget:
		return nil, nil
	case mil.ClassTarget:
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

// standardised returns the standardised real targets.
func (s *targets) standardised(all []mil.Target) []float64 {
	values := make([]float64, len(all))
	for i, target := range all {
		values[i] = (target.Value - s.Mean) / s.SD
	}
	return values
}

// real reports whether scores are in units of real targets.
func (s *targets) real() bool { return s != nil && s.Kind == mil.RealTarget }

// unit returns the factor that turns a standardised value into a score; it is 1 for logits.
func (s *targets) unit() float64 {
	if s.real() {
		return s.SD
	}
	return 1
}

// count returns the number of scores per bag.
func (s *targets) count() int {
	if s != nil && s.Kind == mil.ClassTarget {
		return s.Classes
	}
	return 1
}

// validate reports inconsistent targets of a decoded model.
func (s *targets) validate() error {
	switch {
	case s == nil:
		return nil
	case s.Kind == mil.ClassTarget && (s.Classes < 2 || s.Classes > mostClasses):
		return fmt.Errorf("%d classes; from 2 to %d are needed", s.Classes, mostClasses)
	case s.Kind == mil.RealTarget && !(s.SD > 0 && s.SD <= math.MaxFloat64 && s.Mean-s.Mean == 0):
		return fmt.Errorf("targets with mean %v and standard deviation %v", s.Mean, s.SD)
	case s.Kind != mil.ClassTarget && s.Kind != mil.RealTarget:
		return fmt.Errorf("targets of kind %v", s.Kind)
	}
	return nil
}

// prediction returns the prediction for values: a logit, one value per class, or a standardised real target.
func (s *targets) prediction(values []float64) (mil.Prediction, error) {
	if s.real() {
		values[0] = s.Mean + s.SD*values[0]
	}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return mil.Prediction{}, fmt.Errorf("the score of the bag is %v; its values must be finite", v)
		}
	}
	return mil.Prediction{Scores: values}, nil
}

// scored returns the prediction for a logit.
func scored(score float64) (mil.Prediction, error) {
	return (*targets)(nil).prediction([]float64{score})
}

// maximum returns the prediction for a bag whose score is the maximum over its instances; the first that has it is the
// winner. err is the error of their scores.
func maximum(scores []float64, err error) (mil.Prediction, error) {
	if err != nil {
		return mil.Prediction{}, err
	}
	if len(scores) == 0 {
		return mil.Prediction{}, errors.New("an empty bag has no score")
	}
	winner := floats.MaxIdx(scores)
	return mil.Prediction{Scores: []float64{scores[winner]}, Winners: []int{winner}, Instances: scores}, nil
}

// finite returns the scores of instances, or an error if one is not finite.
func finite(scores []float64) ([]float64, error) {
	for i, score := range scores {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return nil, fmt.Errorf("instance %d: its score is %v; its values must be finite", i+1, score)
		}
	}
	return scores, nil
}

// labelled reports for each training bag whether it belongs to the class.
func labelled(t learner.Training, class int) []bool {
	list := make([]bool, len(t.Targets))
	for i, target := range t.Targets {
		list[i] = target.Label == class
	}
	return list
}

// ofKinds reports a training part whose target is of another kind.
func ofKinds(t learner.Training, kinds []mil.TargetKind) error {
	switch {
	case slices.Contains(kinds, t.Kind):
		return nil
	case len(kinds) == 1:
		return fmt.Errorf("targets of kind %v; binary ones are needed", t.Kind)
	}
	return fmt.Errorf("targets of kind %v; binary ones, classes or real ones are needed", t.Kind)
}

// begin returns what fits share with the fit of a training part, and the rows of its bags in it. An invalid setting or
// training part, another kind of target, or a single class is an error before anything is computed.
func begin(setting interface{ Validate() error }, t learner.Training, kinds []mil.TargetKind) (*learner.Shared, []int, error) {
	if err := cmp.Or(setting.Validate(), ofKinds(t, kinds)); err != nil {
		return nil, nil, err
	}
	if t.Kind == mil.ClassTarget && t.Classes > mostClasses {
		return nil, nil, fmt.Errorf("%d classes; at most %d are possible", t.Classes, mostClasses)
	}
	s, rows, err := t.Share()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case t.Kind == mil.RealTarget && len(rows) == 0:
		return nil, nil, errors.New("the training part has no bags")
	case t.Kind != mil.RealTarget && !slices.ContainsFunc(t.Targets, func(target mil.Target) bool { return target.Label != t.Targets[0].Label }):
		return nil, nil, errOneClass
	}
	return s, rows, nil
}

// errOneClass reports a training part of one class.
var errOneClass = errors.New("the training part has bags of one class; both are needed")
