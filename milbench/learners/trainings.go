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
	of       []place             // one per training
	outcomes [][]learner.Outcome // of the parts of each fit; nil for a fit that is passed on as it is
	missing  []int               // number of parts of each fit without an outcome
}

// trainingsOf returns the trainings of a task, none so far.
func trainingsOf(task cv.Task) *trainings {
	n := len(task.Fits)
	task.Fits = nil
	return &trainings{task: task, outcomes: make([][]learner.Outcome, n), missing: make([]int, n)}
}

// add passes a fit on.
func (x *trainings) add(fit cv.Fit, at place) {
	x.task.Fits, x.of = append(x.task.Fits, fit), append(x.of, at)
}

// learn passes the trainings on. When all parts of a fit are there, join makes them its outcome.
func (x *trainings) learn(ctx context.Context, l learner.Learner, done func(learner.Outcome) error, join func(fit int, parts []learner.Outcome) learner.Outcome) error {
	if len(x.task.Fits) == 0 {
		return ctx.Err()
	}
	return l.Learn(ctx, x.task, eachOnce(len(x.of), func(o learner.Outcome) error {
		at := x.of[o.Fit]
		o.Fit = at.fit
		if x.outcomes[at.fit] == nil {
			return done(o)
		}
		x.outcomes[at.fit][at.part] = o
		if x.missing[at.fit]--; x.missing[at.fit] > 0 {
			return nil
		}
		joined := join(at.fit, x.outcomes[at.fit])
		x.outcomes[at.fit] = nil // no longer needed
		joined.Fit = at.fit
		return done(joined)
	}))
}

// plan returns the plan of a task, with each fit in its group once per training.
func (x *trainings) plan(l learner.Learner) (learner.Plan, error) {
	plan, err := l.Plan(x.task)
	if err != nil {
		return learner.Plan{}, err
	}
	renumber(plan.Groups, func(i int) int { return x.of[i].fit })
	plan.Fits = len(x.outcomes)
	return plan, nil
}

// renumber replaces the fits of groups.
func renumber(groups []learner.Group, of func(fit int) int) {
	for _, g := range groups {
		for k, i := range g.Fits {
			g.Fits[k] = of(i)
		}
	}
}

// eachOnce passes outcomes on to done. One of a fit that is none of n, or that was there before, is an error.
func eachOnce(n int, done func(learner.Outcome) error) func(learner.Outcome) error {
	seen := make([]bool, n)
	return func(o learner.Outcome) error {
		switch {
		case o.Fit < 0 || o.Fit >= n:
			return fmt.Errorf("the learner returned fit %d of %d", o.Fit, n)
		case seen[o.Fit]:
			return fmt.Errorf("the learner returned fit %d twice", o.Fit)
		}
		seen[o.Fit] = true
		return done(o)
	}
}
