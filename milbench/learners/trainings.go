package learners

import (
	"context"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
)

// place identifies a training of a fit of a task: the number of a member, an inner fold or a candidate. Inner folds are
// followed by the whole training part.
type place struct{ fit, part int }

// trainings is a task as it is passed on, with one fit per training.
type trainings struct {
	task     cv.Task
	of       [][]place           // where the outcome of each training goes; fits may share a training
	outcomes [][]learner.Outcome // of the parts of each fit; nil for a fit that is passed on as it is
	missing  []int               // number of parts of each fit without an outcome
	failed   []error             // why a fit is not passed on
}

// trainingsOf returns the trainings of a task, none so far.
func trainingsOf(task cv.Task) *trainings {
	n := len(task.Fits)
	task.Fits = nil
	return &trainings{task: task, outcomes: make([][]learner.Outcome, n), missing: make([]int, n), failed: make([]error, n)}
}

// add passes a fit on.
func (x *trainings) add(fit cv.Fit, at place) {
	x.task.Fits, x.of = append(x.task.Fits, fit), append(x.of, []place{at})
}

// learn passes the trainings on. When all parts of a fit are there, join makes them its outcome. An outcome of an unknown
// training, or a second one, is an error.
func (x *trainings) learn(ctx context.Context, l learner.Learner, done func(learner.Outcome) error, join func(fit int, parts []learner.Outcome) learner.Outcome) error {
	for i, err := range x.failed {
		if err != nil {
			if err := done(learner.Outcome{Fit: i, Err: err}); err != nil {
				return err
			}
		}
	}
	if len(x.task.Fits) == 0 {
		return ctx.Err()
	}
	n := len(x.of)
	seen := make([]bool, n)
	return l.Learn(ctx, x.task, func(o learner.Outcome) error {
		switch {
		case o.Fit < 0 || o.Fit >= n:
			return fmt.Errorf("the learner returned fit %d of %d", o.Fit, n)
		case seen[o.Fit]:
			return fmt.Errorf("the learner returned fit %d twice", o.Fit)
		}
		seen[o.Fit] = true
		for _, at := range x.of[o.Fit] {
			one := o
			if parts := x.outcomes[at.fit]; parts != nil {
				parts[at.part] = o
				if x.missing[at.fit]--; x.missing[at.fit] > 0 {
					continue
				}
				one = join(at.fit, parts)
				x.outcomes[at.fit] = nil // no longer needed
			}
			one.Fit = at.fit
			if err := done(one); err != nil {
				return err
			}
		}
		return nil
	})
}

// plan returns the plan of a task, with each fit in its group once per training.
func (x *trainings) plan(l learner.Learner) (learner.Plan, error) {
	plan, err := l.Plan(x.task)
	if err != nil {
		return learner.Plan{}, err
	}
	for _, g := range plan.Groups {
		for k, i := range g.Fits {
			g.Fits[k] = x.of[i][0].fit
		}
	}
	plan.Fits = len(x.outcomes)
	return plan, nil
}
