package learner

import (
	"context"
	"fmt"
	"slices"

	"synpool/milbench"
)

// Inner is a [milbench.Learner] of fits with inner folds ([milbench.Fit].Inner): each is learnt once a fold, on the rest of its training part, and once
// on the whole, by what learns fits without. Validation has the predictions of the held-out bags, test bags are scored by the model of the
// whole, epoch by epoch.
//
// A learner may look at the instances of the bags that an inner fold holds out, not at their targets: scales and distances are made once for the whole
// training part. So held-out predictions know a little more than those of test bags, which no model has seen.
type Inner struct {
	Of milbench.Learner

	heldOnly bool // nothing is trained on the whole: epochs have neither scores of test bags nor a loss
}

var _ milbench.Learner = Inner{}

// Takes implements [milbench.Learner].
func (l Inner) Takes() milbench.Takes { return l.Of.Takes() }

// Learn implements [milbench.Learner]. A fit fails if one of its folds fails.
func (l Inner) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	x := expand(task, l.heldOnly)
	if len(x.task.Fits) == 0 {
		return ctx.Err()
	}
	return l.Of.Learn(ctx, x.task, func(o milbench.Outcome) error {
		if o.Fit < 0 || o.Fit >= len(x.of) {
			return fmt.Errorf("the learner handed over fit %d of %d", o.Fit, len(x.of))
		}
		at := x.of[o.Fit]
		if x.handed[o.Fit] {
			return fmt.Errorf("the learner handed over fit %d twice", o.Fit)
		}
		x.handed[o.Fit] = true
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
	x := expand(task, l.heldOnly)
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
	handed   []bool               // of each training
	outcomes [][]milbench.Outcome // of each fit with inner folds, one a training
	missing  []int
	heldOnly bool
}

// expand returns the trainings of a task.
func expand(task milbench.Task, heldOnly bool) *expanded {
	x := &expanded{task: task, heldOnly: heldOnly, outcomes: make([][]milbench.Outcome, len(task.Fits)), missing: make([]int, len(task.Fits))}
	x.task.Fits = nil
	var last milbench.Fit          // with inner folds
	var rests [][]milbench.Example // of its inner folds: fits of one fold, which stand together, share them
	for i, fit := range task.Fits {
		if len(fit.Inner) == 0 {
			x.task.Fits, x.of = append(x.task.Fits, fit), append(x.of, place{i, 0})
			continue
		}
		if !slices.Equal(last.Train, fit.Train) || !slices.EqualFunc(last.Inner, fit.Inner, slices.Equal) {
			last, rests = fit, nil
			for _, part := range fit.Inner {
				rests = append(rests, rest(fit.Train, part))
			}
		}
		for k := range fit.Inner {
			x.task.Fits, x.of = append(x.task.Fits, innerFit(fit, k, rests[k])), append(x.of, place{i, k})
		}
		x.missing[i] = len(fit.Inner)
		if !heldOnly {
			whole := fit
			whole.Inner = nil
			x.task.Fits, x.of = append(x.task.Fits, whole), append(x.of, place{i, len(fit.Inner)})
			x.missing[i]++
		}
		x.outcomes[i] = make([]milbench.Outcome, x.missing[i])
	}
	x.handed = make([]bool, len(x.of))
	return x
}

// innerFit returns the fit that holds out inner fold k of fit and trains on the rest.
func innerFit(fit milbench.Fit, k int, rest []milbench.Example) milbench.Fit {
	one := fit
	one.Seed, one.Inner, one.Train, one.Validation, one.Test, one.Instances = milbench.SplitSeed(fit.Seed, "inner", k), nil, rest, fit.Inner[k], nil, false
	return one
}

// rest returns the training bags that an inner fold does not hold out.
func rest(train []milbench.Example, part []int) (rest []milbench.Example) {
	held := make(map[int]bool, len(part))
	for _, b := range part {
		held[b] = true
	}
	for _, e := range train {
		if !held[e.Bag] {
			rest = append(rest, e)
		}
	}
	return rest
}

// add takes note of the outcome of a training.
func (x *expanded) add(at place, o milbench.Outcome) {
	x.outcomes[at.fit][at.part] = o
	x.missing[at.fit]--
}

// join returns the outcome of a fit once all its trainings are there.
func (x *expanded) join(fit milbench.Fit, i int) milbench.Outcome {
	all := x.outcomes[i]
	joined := milbench.Outcome{Fit: i}
	whole := all[len(all)-1]
	where := func(k int) string {
		if k == len(fit.Inner) {
			return "the whole training part"
		}
		return fmt.Sprintf("inner fold %d", k+1)
	}
	for _, o := range all {
		joined.Wall += o.Wall
	}
	for k, o := range all {
		if o.Err != nil {
			return milbench.Outcome{Fit: i, Err: fmt.Errorf("%s: %w", where(k), o.Err), Wall: joined.Wall}
		}
	}
	for k, o := range all {
		if len(o.Epochs) != len(whole.Epochs) {
			return milbench.Outcome{Fit: i, Err: fmt.Errorf("%s: %d epochs, on the whole %d", where(k), len(o.Epochs), len(whole.Epochs)), Wall: joined.Wall}
		}
	}
	for k, e := range whole.Epochs {
		one := e
		one.Validation = nil
		if x.heldOnly {
			one = milbench.Epoch{Number: e.Number}
		}
		for f, part := range fit.Inner {
			held := all[f].Epochs[k]
			if held.Number != e.Number || len(held.Validation) != len(part) {
				return milbench.Outcome{Fit: i, Err: fmt.Errorf("%s: epoch %d with %d scores, not epoch %d with %d", where(f), held.Number, len(held.Validation), e.Number, len(part)), Wall: joined.Wall}
			}
			one.Validation = append(one.Validation, held.Validation...)
		}
		joined.Epochs = append(joined.Epochs, one)
	}
	return joined
}
