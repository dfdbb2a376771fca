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
	return l.expand(task).learn(ctx, l.Of, done, func(i int, parts []learner.Outcome) learner.Outcome { return l.join(task.Fits[i], parts) })
}

// Plan implements [learner.Learner]. A fit appears in its group once per training.
func (l Inner) Plan(task cv.Task) (learner.Plan, error) { return l.expand(task).plan(l.Of) }

// expand returns the task with one fit per training.
func (l Inner) expand(task cv.Task) *trainings {
	x := trainingsOf(task)
	var last cv.Fit          // with inner folds
	var rests [][]cv.Example // of its inner folds: consecutive fits of one fold share them
	for i, fit := range task.Fits {
		if len(fit.Inner) == 0 {
			x.add(fit, place{i, 0})
			continue
		}
		if !slices.Equal(last.Train, fit.Train) || !slices.EqualFunc(last.Inner, fit.Inner, slices.Equal) {
			last, rests = fit, nil
			for _, part := range fit.Inner {
				_, rest := divide(fit.Train, part)
				rests = append(rests, rest)
			}
		}
		for k := range fit.Inner {
			x.add(innerFit(fit, k, rests[k]), place{i, k})
		}
		x.missing[i] = len(fit.Inner)
		if !l.heldOnly {
			whole := fit
			whole.Inner = nil
			x.add(whole, place{i, len(fit.Inner)})
			x.missing[i]++
		}
		x.outcomes[i] = make([]learner.Outcome, x.missing[i])
	}
	return x
}

// innerFit returns the fit that holds out inner fold k and trains on the rest.
func innerFit(fit cv.Fit, k int, rest []cv.Example) cv.Fit {
	one := fit
	one.Seed, one.Inner, one.Train, one.Validation, one.Test, one.Instances = cv.SplitSeed(fit.Seed, "inner", k), nil, rest, fit.Inner[k], nil, false
	return one
}

// divide returns the examples of some bags and the others, both in the order of all.
func divide(all []cv.Example, bags []int) (some, others []cv.Example) {
	chosen := make(map[int]bool, len(bags))
	for _, b := range bags {
		chosen[b] = true
	}
	for _, e := range all {
		if chosen[e.Bag] {
			some = append(some, e)
		} else {
			others = append(others, e)
		}
	}
	return some, others
}

// join returns the outcome of a fit when all its trainings are done.
func (l Inner) join(fit cv.Fit, all []learner.Outcome) (joined learner.Outcome) {
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
			return learner.Outcome{Err: fmt.Errorf("%s: %w", where(k), o.Err), Wall: joined.Wall}
		}
	}
	for k, o := range all {
		if len(o.Epochs) != len(whole.Epochs) {
			return learner.Outcome{Err: fmt.Errorf("%s: %d epochs, on the whole %d", where(k), len(o.Epochs), len(whole.Epochs)), Wall: joined.Wall}
		}
	}
	for k, e := range whole.Epochs {
		one := e
		one.Validation = nil
		if l.heldOnly {
			one = learner.Epoch{Number: e.Number}
		}
		for f, part := range fit.Inner {
			held := all[f].Epochs[k]
			if held.Number != e.Number || len(held.Validation) != len(part) {
				return learner.Outcome{Err: fmt.Errorf("%s: epoch %d with %d scores, not epoch %d with %d", where(f), held.Number, len(held.Validation), e.Number, len(part)), Wall: joined.Wall}
			}
			one.Validation = append(one.Validation, held.Validation...)
		}
		joined.Epochs = append(joined.Epochs, one)
	}
	return joined
}
