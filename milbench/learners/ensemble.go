package learners

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// membersKey is the key of a setting that makes an ensemble; its value is the number of members.
const membersKey = "members"

// maxMembers limits the size of an ensemble.
const maxMembers = 1000

// ensemble is a [learner.Learner] that trains ensembles ([Members]). Settings without "members" are passed on unchanged.
type ensemble struct{ Of learner.Learner }

var _ learner.Learner = ensemble{}

// Learn implements [learner.Learner]. A fit fails if one of its members fails.
func (e ensemble) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	return membersOf(task).learn(ctx, e.Of, done, func(_ int, members []learner.Outcome) learner.Outcome { return join(members) })
}

// Plan implements [learner.Learner]. An ensemble's fit appears in its group once per member. Learn reports invalid fits.
func (e ensemble) Plan(task cv.Task) (learner.Plan, error) {
	return membersOf(task).plan(e.Of)
}

// membersOf returns the members of the fits of a task.
func membersOf(task cv.Task) *trainings {
	x := trainingsOf(task)
	for i, fit := range task.Fits {
		n, setting, err := Members(fit.Setting)
		if err != nil {
			x.failed[i] = err
			continue
		}
		if n > 0 {
			x.outcomes[i], x.missing[i] = make([]learner.Outcome, n), n
		}
		fit.Setting = setting
		for m := range max(n, 1) {
			one := fit
			if m > 0 {
				one.Seed = cv.SplitSeed(fit.Seed, "member", m)
			}
			x.add(one, place{i, m})
		}
	}
	return x
}

// Members returns the number of members that a setting asks for (0 if it names none), and the setting without that key.
// A setting with "members": n is an ensemble: the rest of the setting is learnt n times, each time with a different seed.
//
// The scores of a bag are the means of the members' scores, epoch by epoch: means of logits (per class, not of
// probabilities), of values, or of logarithms of risks. Survival curves are averaged, too. Outcomes also hold the
// members' scores of test bags. The first member equals the model of the setting without "members". An ensemble has no
// winners.
func Members(setting json.RawMessage) (int, json.RawMessage, error) {
	if !bytes.Contains(setting, []byte(`"`+membersKey+`"`)) {
		return 0, setting, nil
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(setting, &values); err != nil {
		return 0, nil, fmt.Errorf("setting %.60q is no JSON object: %w", setting, err)
	}
	text, ok := values[membersKey]
	if !ok {
		return 0, setting, nil
	}
	var n int
	if err := json.Unmarshal(text, &n); err != nil || n < 1 || n > maxMembers {
		return 0, nil, fmt.Errorf("members %s: an integer from 1 to %d is needed", text, maxMembers)
	}
	delete(values, membersKey)
	rest, err := json.Marshal(values)
	return n, rest, err
}

// join returns the outcome of an ensemble: mean losses and scores, and the total time of all members.
func join(members []learner.Outcome) learner.Outcome {
	joined := learner.Outcome{Fit: members[0].Fit}
	for m, o := range members {
		switch {
		case o.Err != nil:
			return learner.Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d: %w", m+1, o.Err)}
		case len(o.Epochs) != len(members[0].Epochs):
			return learner.Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d has %d epochs, the first %d", m+1, len(o.Epochs), len(members[0].Epochs))}
		}
		joined.Wall += o.Wall
	}
	n := float64(len(members))
	for k, first := range members[0].Epochs {
		mean := learner.Epoch{Number: first.Number, Validation: make([]mil.Prediction, len(first.Validation)), Test: make([]mil.Prediction, len(first.Test))}
		for m, o := range members {
			e := o.Epochs[k]
			if e.Number != first.Number || len(e.Validation) != len(first.Validation) || len(e.Test) != len(first.Test) {
				return learner.Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d: epoch %d with %d and %d scores, of the first epoch %d with %d and %d",
					m+1, e.Number, len(e.Validation), len(e.Test), first.Number, len(first.Validation), len(first.Test))}
			}
			mean.Loss += e.Loss / n
			var err error
			for i, p := range e.Validation {
				err = cmp.Or(err, addScores(&mean.Validation[i], p, n))
			}
			for i, p := range e.Test {
				err = cmp.Or(err, addScores(&mean.Test[i], p, n))
				mean.Test[i].Members = append(mean.Test[i].Members, p.Scores)
				sum := &mean.Test[i].Instances
				switch {
				case m == 0 && p.Instances != nil:
					*sum = make([]float64, len(p.Instances))
				case len(p.Instances) != len(*sum):
					err = fmt.Errorf("%d scores of the instances of a bag, of the first member %d", len(p.Instances), len(*sum))
				}
				if err == nil {
					floats.AddScaled(*sum, 1/n, p.Instances)
				}
			}
			if err != nil {
				return learner.Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d: %w", m+1, err)}
			}
		}
		joined.Epochs = append(joined.Epochs, mean)
	}
	return joined
}

// addScores adds 1/n of the scores of one of n members to their mean.
func addScores(mean *mil.Prediction, p mil.Prediction, n float64) error {
	if mean.Scores == nil {
		mean.Scores = make([]float64, len(p.Scores))
	}
	if len(p.Scores) != len(mean.Scores) {
		return fmt.Errorf("%d scores of a bag, of the first member %d", len(p.Scores), len(mean.Scores))
	}
	for k, v := range p.Scores {
		mean.Scores[k] += v / n
	}
	return addSurvival(mean, p, 1/n)
}

// addSurvival adds 1/n of a member's survival curve to the mean, if it has one.
func addSurvival(mean *mil.Prediction, p mil.Prediction, share float64) error {
	if p.Survival == nil {
		return nil
	}
	if mean.Survival == nil {
		mean.Survival = &mil.Survival{Times: p.Survival.Times, Alive: make([]float64, len(p.Survival.Times))}
	}
	if !slices.Equal(p.Survival.Times, mean.Survival.Times) {
		return errors.New("a survival curve at other times than that of the first member")
	}
	floats.AddScaled(mean.Survival.Alive, share, p.Survival.Alive)
	return nil
}

// Takes implements [learner.Learner].
func (e ensemble) Takes() learner.Takes { return e.Of.Takes() }
