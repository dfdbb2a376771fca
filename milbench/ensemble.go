package milbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// membersKey asks, in a setting, for so many members.
const membersKey = "members"

// maxMembers bounds an ensemble.
const maxMembers = 1000

// Ensemble is a [Learner] of ensembles: a setting with "members": n beside what Of understands is learnt n times, with a
// seed for each, and the score of a bag is the mean of the members' scores (of logits, not of probabilities), epoch by
// epoch; of test bags the members' scores stand beside it. The first member is the model that the setting without "members" gives. An ensemble has no winners. Settings
// without "members" are handed on as they are.
type Ensemble struct{ Of Learner }

var _ Learner = Ensemble{}

// member is a fit handed to the learner: the m-th of those that make up a fit of the task.
type member struct{ fit, m int }

// Learn implements [Learner]. A fit of which a member fails has failed.
func (e Ensemble) Learn(ctx context.Context, task Task, done func(Outcome) error) error {
	handed := task
	handed.Fits = nil
	var members []member
	outcomes := make([][]Outcome, len(task.Fits)) // of each fit's members; nil for a setting without "members"
	missing := make([]int, len(task.Fits))
	for i, fit := range task.Fits {
		n, setting, err := Members(fit.Setting)
		if err != nil {
			if err := done(Outcome{Fit: i, Err: err}); err != nil {
				return err
			}
			continue
		}
		outcomes[i], missing[i] = make([]Outcome, n), n
		fit.Setting = setting
		for m := range max(n, 1) {
			one := fit
			if m > 0 {
				one.Seed = SplitSeed(fit.Seed, "member", m)
			}
			handed.Fits = append(handed.Fits, one)
			members = append(members, member{i, m})
		}
	}
	if len(handed.Fits) == 0 {
		return ctx.Err()
	}
	return e.Of.Learn(ctx, handed, func(o Outcome) error {
		if o.Fit < 0 || o.Fit >= len(members) {
			return fmt.Errorf("the learner handed over fit %d of %d", o.Fit, len(members))
		}
		of := members[o.Fit]
		o.Fit = of.fit
		if len(outcomes[of.fit]) == 0 {
			return done(o)
		}
		outcomes[of.fit][of.m] = o
		if missing[of.fit]--; missing[of.fit] > 0 {
			return nil
		}
		joined := join(outcomes[of.fit])
		outcomes[of.fit] = outcomes[of.fit][:1] // the others are needed no more
		return done(joined)
	})
}

// Members returns the number of members that a setting asks for, 0 if it does not say, and the setting without it, which
// [Ensemble] hands on.
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

// join returns the outcome of an ensemble: means of losses and scores, the time of all members.
func join(members []Outcome) Outcome {
	joined := Outcome{Fit: members[0].Fit}
	for m, o := range members {
		switch {
		case o.Err != nil:
			return Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d: %w", m+1, o.Err)}
		case len(o.Epochs) != len(members[0].Epochs):
			return Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d has %d epochs, the first %d", m+1, len(o.Epochs), len(members[0].Epochs))}
		}
		joined.Wall += o.Wall
	}
	n := float64(len(members))
	for k, first := range members[0].Epochs {
		mean := Epoch{Number: first.Number, Validation: make([]BagScore, len(first.Validation)), Test: make([]BagScore, len(first.Test))}
		for m, o := range members {
			e := o.Epochs[k]
			if e.Number != first.Number || len(e.Validation) != len(first.Validation) || len(e.Test) != len(first.Test) {
				return Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d: epoch %d with %d and %d scores, of the first epoch %d with %d and %d",
					m+1, e.Number, len(e.Validation), len(e.Test), first.Number, len(first.Validation), len(first.Test))}
			}
			mean.Loss += e.Loss / n
			for i, s := range e.Validation {
				mean.Validation[i].Score += s.Score / n
			}
			for i, s := range e.Test {
				mean.Test[i].Score += s.Score / n
				mean.Test[i].Members = append(mean.Test[i].Members, s.Score)
				w := &mean.Test[i].Weights
				switch {
				case m == 0 && s.Weights != nil:
					*w = make([]float64, len(s.Weights))
				case len(s.Weights) != len(*w):
					return Outcome{Fit: o.Fit, Err: fmt.Errorf("member %d: %d weights of a bag, of the first %d", m+1, len(s.Weights), len(*w))}
				}
				for k, v := range s.Weights {
					(*w)[k] += v / n
				}
			}
		}
		joined.Epochs = append(joined.Epochs, mean)
	}
	return joined
}
