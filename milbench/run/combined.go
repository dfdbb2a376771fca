package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// combined is a list of studies whose fits the learner gets at once.
type combined []*setStudy

// combine combines the studies with the same base and the same form of instances. It leaves out studies without fits.
func combine(studies []*setStudy) (all []combined) {
	type form struct {
		base     string
		features int
		sparse   bool
		kind     mil.TargetKind
	}
	place := make(map[form]int)
	for _, s := range studies {
		if len(s.missing) == 0 {
			continue
		}
		f := form{s.Base, s.set.NumFeatures(), mil.IsSparse(s.set.Bags[0].Instances), s.set.Kind}
		if s.Base != "" && len(s.set.Missing)+len(s.set.Words) == 0 { // other sets need their own preparation
			if at, found := place[f]; found {
				all[at] = append(all[at], s)
				continue
			}
			place[f] = len(all)
		}
		all = append(all, combined{s})
	}
	return all
}

// request is what a study asked for: one of its fits.
type request struct {
	study *setStudy
	fit   int
	test  []int // positions of its test bags in the combined fit
}

// task returns the task for the learner, and who asked for each of its fits. Every bag occurs once. Fits that differ
// only in the bags they score are combined.
func (c combined) task() (cv.Task, [][]request, error) {
	var all cv.Task
	var by [][]request
	bags := make(map[mil.Instances]int)
	var groups []string          // group of each bag
	fits := make(map[string]int) // indexed by what determines the training
	for _, s := range c {
		task := s.task()
		all.Kind, all.Classes, all.Missing, all.Words = task.Kind, max(all.Classes, task.Classes), task.Missing, task.Words
		at := make([]int, len(task.Bags))
		for i, b := range task.Bags {
			known, found := bags[b]
			if !found {
				known = len(all.Bags)
				bags[b] = known
				all.Bags, groups = append(all.Bags, b), append(groups, "")
			}
			if task.Groups != nil {
				all.Groups = groups
				if groups[known] == "" {
					groups[known] = task.Groups[i]
				}
			}
			at[i] = known
		}
		for i, fit := range task.Fits {
			fit = fit.Moved(at)
			key, err := json.Marshal([]any{fit.Seed, fit.Setting, fit.Train, fit.Validation, fit.Inner})
			if err != nil {
				return cv.Task{}, nil, fmt.Errorf("%s: setting %.60q: %w", s.set.Name, fit.Setting, err)
			}
			known, found := fits[string(key)]
			if !found {
				known = len(all.Fits)
				fits[string(key)] = known
				first := fit
				first.Test = nil
				all.Fits, by = append(all.Fits, first), append(by, nil)
			}
			one := &all.Fits[known]
			one.EveryEpoch, one.Instances = one.EveryEpoch || fit.EveryEpoch, one.Instances || fit.Instances
			a := request{study: s, fit: i}
			place := make(map[int]int, len(one.Test))
			for k, b := range one.Test {
				place[b] = k
			}
			for _, b := range fit.Test {
				k, found := place[b]
				if !found {
					k = len(one.Test)
					one.Test = append(one.Test, b)
				}
				a.test = append(a.test, k)
			}
			by[known] = append(by[known], a)
		}
	}
	if all.Groups != nil {
		all.Groups = groups // for all bags
	}
	all.Name = c.name()
	return all, by, nil
}

// name returns the name of the set, or of the source of several sets.
func (c combined) name() string {
	if len(c) > 1 {
		return c[0].Base
	}
	return c[0].set.Name
}

// plan notes what each fit costs by the learner's plan. It returns false if the learner has none.
func (c combined) plan() bool {
	task, by, err := c.task()
	if err != nil {
		return false
	}
	plan, err := c[0].Learner.Plan(task)
	if err != nil || len(plan.Groups) == 0 {
		return false
	}
	c[0].summary.add(plan.Groups, by)
	return true
}

// outcome extracts the outcome of one requested fit from the outcome of a combined one.
func (a request) outcome(o learner.Outcome, several int) learner.Outcome {
	own := learner.Outcome{Fit: a.fit, Wall: o.Wall, Err: o.Err, Portfolio: o.Portfolio}
	if several > 1 {
		own.Wall /= time.Duration(several)
	}
	for _, e := range o.Epochs {
		scores := e.Test
		e.Test = nil
		for _, k := range a.test {
			if k < len(scores) { // if the learner returned too few, the result reports it
				e.Test = append(e.Test, scores[k])
			}
		}
		own.Epochs = append(own.Epochs, e)
	}
	return own
}

// tries is the maximum number of attempts at a fit.
const tries = 3

// learn passes the fits to the learner, up to three times if they fail. It returns the errors of the fits that failed
// every time, and the error of writing the file.
func (c combined) learn(ctx context.Context, progress func(Progress)) (failures []error, fatal error) {
	if progress == nil {
		progress = func(Progress) {}
	}
	progress(c[0].progress())
	for try := 1; ; try++ {
		failures, fatal = c.try(ctx, try == tries, progress)
		if fatal != nil || ctx.Err() != nil || try == tries || len(failures) == 0 {
			break
		}
		var again combined
		for _, s := range c {
			s.missing = slices.DeleteFunc(s.missing, func(m missing) bool { return m.kept })
			for i := range s.missing {
				s.missing[i].returned = false
			}
			if len(s.missing) > 0 {
				again = append(again, s)
			}
		}
		if len(again) == 0 { // the learner failed after handing over all fits
			break
		}
		c = again
	}
	return failures, fatal
}

// try passes the fits to the learner once. On the last try it returns the failures; before that, only one to show
// that there were some.
func (c combined) try(ctx context.Context, last bool, progress func(Progress)) (failures []error, fatal error) {
	task, by, err := c.task()
	if err != nil {
		return nil, err
	}
	report := func(s *setStudy, fit int, err error) {
		if last {
			s.summary.Failed++
			s.spend(fit, 0)
			p := s.progress()
			p.Err = err
			progress(p)
		}
		if last || len(failures) == 0 {
			failures = append(failures, err)
		}
	}
	returned := make([]bool, len(by))
	err = c[0].Learner.Learn(ctx, task, func(o learner.Outcome) error {
		if o.Fit < 0 || o.Fit >= len(by) || returned[o.Fit] {
			return fmt.Errorf("the learner returned fit %d of %d out of range or twice", o.Fit, len(by))
		}
		if o.Err != nil && ctx.Err() != nil {
			return ctx.Err() // stopped, not failed
		}
		returned[o.Fit] = true
		for _, a := range by[o.Fit] {
			var result *results.Result
			var failed error
			if result, failed, fatal = a.study.keep(a.outcome(o, len(by[o.Fit]))); fatal != nil {
				return fatal
			}
			if failed != nil {
				report(a.study, a.fit, failed)
			} else {
				p := a.study.progress()
				p.Result = result
				progress(p)
			}
		}
		return nil
	})
	switch {
	case fatal != nil:
		return failures, fatal
	case ctx.Err() != nil && last:
		return failures, nil
	case ctx.Err() != nil:
		return nil, nil
	case err != nil: // an error of the whole task; completed fits stay done
		if !strings.HasPrefix(err.Error(), task.Name+": ") {
			err = fmt.Errorf("%s: %w", task.Name, err)
		}
		failures = append(failures, err)
		for _, s := range c {
			for _, m := range s.missing {
				if !m.returned && last {
					s.summary.Failed++
				}
			}
		}
		return failures, nil
	}
	for _, s := range c {
		for fit, m := range s.missing {
			if !m.returned {
				report(s, fit, s.failed(fit, errors.New("the learner ended without it")))
			}
		}
	}
	return failures, nil
}
