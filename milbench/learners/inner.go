package learners

import (
	"context"
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
)

// Inner is a [learner.Learner] that trains fits with inner folds ([cv.Fit].Inner) using a learner of fits
// without. It trains once per inner fold on the rest of the training part, and once on the whole part. Validation holds
// the predictions of the held-out bags. Test bags are scored by the model of the whole part, epoch by epoch.
//
// A learner may use the instances of bags that an inner fold holds out, but not their targets: scales and distances are
// computed once for the whole training part. So predictions of held-out bags have a slight advantage over those of
// test bags, which no model has seen.
type Inner struct {
	Of learner.Learner

	heldOnly bool // nothing is trained on the whole part: epochs have no loss and no scores of test bags
}

var _ learner.Learner = Inner{}

// Takes implements [learner.Learner].
func (l Inner) Takes() learner.Takes { return l.Of.Takes() }

// Learn implements [learner.Learner]. A fit fails if one of its folds fails.
func (l Inner) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	x := expand(task, l.heldOnly)
	if len(x.task.Fits) == 0 {
		return ctx.Err()
	}
	return l.Of.Learn(ctx, x.task, func(o learner.Outcome) error {
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

// Plan implements [learner.Learner]. A fit appears in its group once per training.
func (l Inner) Plan(task cv.Task) (learner.Plan, error) {
	x := expand(task, l.heldOnly)
	plan, err := l.Of.Plan(x.task)
	if err != nil {
		return learner.Plan{}, err
	}
	for g := range plan.Groups {
		for k, i := range plan.Groups[g].Fits {
			plan.Groups[g].Fits[k] = x.of[i].fit
		}
	}
	plan.Fits = len(task.Fits)
	return plan, nil
}

// place identifies a training of a fit: part is the number of its inner fold, or the number of folds for the whole
// training part.
type place struct{ fit, part int }

// expanded is a task with one fit per training.
type expanded struct {
	task     cv.Task
	of       []place
	handed   []bool              // one per training
	outcomes [][]learner.Outcome // for each fit with inner folds, one per training
	missing  []int
	heldOnly bool
}

// expand returns the task with one fit per training.
func expand(task cv.Task, heldOnly bool) *expanded {
	x := &expanded{task: task, heldOnly: heldOnly, outcomes: make([][]learner.Outcome, len(task.Fits)), missing: make([]int, len(task.Fits))}
	x.task.Fits = nil
	var last cv.Fit          // with inner folds
	var rests [][]cv.Example // of its inner folds: consecutive fits of one fold share them
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
		x.outcomes[i] = make([]learner.Outcome, x.missing[i])
	}
	x.handed = make([]bool, len(x.of))
	return x
}

// innerFit returns the fit that holds out inner fold k and trains on the rest.
func innerFit(fit cv.Fit, k int, rest []cv.Example) cv.Fit {
	one := fit
	one.Seed, one.Inner, one.Train, one.Validation, one.Test, one.Instances = cv.SplitSeed(fit.Seed, "inner", k), nil, rest, fit.Inner[k], nil, false
	return one
}

// rest returns the training bags outside an inner fold.
func rest(train []cv.Example, part []int) (rest []cv.Example) {
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

// add records the outcome of a training.
func (x *expanded) add(at place, o learner.Outcome) {
	x.outcomes[at.fit][at.part] = o
	x.missing[at.fit]--
}

// join returns the outcome of a fit when all its trainings are done.
func (x *expanded) join(fit cv.Fit, i int) learner.Outcome {
	all := x.outcomes[i]
	joined := learner.Outcome{Fit: i}
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
			return learner.Outcome{Fit: i, Err: fmt.Errorf("%s: %w", where(k), o.Err), Wall: joined.Wall}
		}
	}
	for k, o := range all {
		if len(o.Epochs) != len(whole.Epochs) {
			return learner.Outcome{Fit: i, Err: fmt.Errorf("%s: %d epochs, on the whole %d", where(k), len(o.Epochs), len(whole.Epochs)), Wall: joined.Wall}
		}
	}
	for k, e := range whole.Epochs {
		one := e
		one.Validation = nil
		if x.heldOnly {
			one = learner.Epoch{Number: e.Number}
		}
		for f, part := range fit.Inner {
			held := all[f].Epochs[k]
			if held.Number != e.Number || len(held.Validation) != len(part) {
				return learner.Outcome{Fit: i, Err: fmt.Errorf("%s: epoch %d with %d scores, not epoch %d with %d", where(f), held.Number, len(held.Validation), e.Number, len(part)), Wall: joined.Wall}
			}
			one.Validation = append(one.Validation, held.Validation...)
		}
		joined.Epochs = append(joined.Epochs, one)
	}
	return joined
}
