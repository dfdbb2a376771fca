package learner

import (
	"context"
	"fmt"

	"synpool/milbench"
)

// Inner is a [milbench.Learner] of fits with inner folds ([milbench.Fit].Inner): each is learnt once a fold, on the rest of its training part, and once
// on the whole, by what learns fits without. Validation has the predictions of the held-out bags, test bags are scored by the model of the
// whole, epoch by epoch.
type Inner struct{ Of milbench.Learner }

var _ milbench.Learner = Inner{}

// Takes implements [milbench.Learner].
func (l Inner) Takes() milbench.Takes { return l.Of.Takes() }

// Learn implements [milbench.Learner]. A fit of which a fold fails has failed.
func (l Inner) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	x := expand(task)
	if len(x.task.Fits) == 0 {
		return ctx.Err()
	}
	return l.Of.Learn(ctx, x.task, func(o milbench.Outcome) error {
		if o.Fit < 0 || o.Fit >= len(x.of) {
			return fmt.Errorf("the learner handed over fit %d of %d", o.Fit, len(x.of))
		}
		at := x.of[o.Fit]
		o.Fit = at.fit
		if len(task.Fits[at.fit].Inner) == 0 {
			return done(o)
		}
		if x.add(at, o); x.missing[at.fit] > 0 {
			return nil
		}
		joined := x.join(task.Fits[at.fit], at.fit)
		x.outcomes[at.fit] = nil
		return done(joined)
	})
}

// Plan implements [milbench.Learner]. A fit stands in its group once a training.
func (l Inner) Plan(task milbench.Task) (milbench.Plan, error) {
	x := expand(task)
	plan, err := l.Of.Plan(x.task)
	if err != nil {
		return milbench.Plan{}, err
	}
	for g := range plan.Groups {
		for k, i := range plan.Groups[g].Fits {
			plan.Groups[g].Fits[k] = x.of[i].fit
		}
	}
	plan.Fits = len(task.Fits)
	return plan, nil
}

// place says of which fit a training is: of fold number part, or of the whole, behind all folds.
type place struct{ fit, part int }

// expanded is a task with a fit for each training.
type expanded struct {
	task     milbench.Task
	of       []place
	outcomes [][]milbench.Outcome // of each fit with inner folds, one a training
	missing  []int
}

// expand returns the trainings of a task.
func expand(task milbench.Task) *expanded {
	x := &expanded{task: task, outcomes: make([][]milbench.Outcome, len(task.Fits)), missing: make([]int, len(task.Fits))}
	x.task.Fits = nil
	for i, fit := range task.Fits {
		if len(fit.Inner) == 0 {
			x.task.Fits, x.of = append(x.task.Fits, fit), append(x.of, place{i, 0})
			continue
		}
		for k, part := range fit.Inner {
			x.task.Fits, x.of = append(x.task.Fits, innerFit(fit, k, part)), append(x.of, place{i, k})
		}
		whole := fit
		whole.Inner = nil
		x.task.Fits, x.of = append(x.task.Fits, whole), append(x.of, place{i, len(fit.Inner)})
		x.missing[i] = len(fit.Inner) + 1
		x.outcomes[i] = make([]milbench.Outcome, x.missing[i])
	}
	return x
}

// innerFit returns the fit that holds out inner fold k of fit.
func innerFit(fit milbench.Fit, k int, part []int) milbench.Fit {
	held := make(map[int]bool, len(part))
	for _, b := range part {
		held[b] = true
	}
	one := fit
	one.Seed, one.Inner, one.Train, one.Validation, one.Test, one.Instances = milbench.SplitSeed(fit.Seed, "inner", k), nil, nil, part, nil, false
	for _, e := range fit.Train {
		if !held[e.Bag] {
			one.Train = append(one.Train, e)
		}
	}
	return one
}

// add takes note of the outcome of a training.
func (x *expanded) add(at place, o milbench.Outcome) {
	x.outcomes[at.fit][at.part] = o
	x.missing[at.fit]--
}

// join returns the outcome of a fit of which all trainings are there.
func (x *expanded) join(fit milbench.Fit, i int) milbench.Outcome {
	all := x.outcomes[i]
	joined := milbench.Outcome{Fit: i}
	whole := all[len(all)-1]
	for k, o := range all {
		joined.Wall += o.Wall
		where := fmt.Sprintf("inner fold %d", k+1)
		if k == len(all)-1 {
			where = "the whole training part"
		}
		switch {
		case o.Err != nil:
			return milbench.Outcome{Fit: i, Err: fmt.Errorf("%s: %w", where, o.Err), Wall: joined.Wall}
		case len(o.Epochs) != len(whole.Epochs):
			return milbench.Outcome{Fit: i, Err: fmt.Errorf("%s: %d epochs, on the whole %d", where, len(o.Epochs), len(whole.Epochs)), Wall: joined.Wall}
		}
	}
	for k, e := range whole.Epochs {
		one := e
		one.Validation = nil
		for f, part := range fit.Inner {
			held := all[f].Epochs[k]
			if held.Number != e.Number || len(held.Validation) != len(part) {
				return milbench.Outcome{Fit: i, Err: fmt.Errorf("inner fold %d: epoch %d with %d scores, not epoch %d with %d", f+1, held.Number, len(held.Validation), e.Number, len(part))}
			}
			one.Validation = append(one.Validation, held.Validation...)
		}
		joined.Epochs = append(joined.Epochs, one)
	}
	return joined
}
