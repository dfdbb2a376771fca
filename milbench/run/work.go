package run

import "synpool/milbench/learner"

// account counts the fits of a run, and their work.
type account struct {
	Summary
	all       []*work
	compiling float64 // planned seconds of what comes before the first fits of groups
	compiled  float64 // of that, what is over
}

// work is that of the fits with one setting, in seconds of a core.
type work struct{ planned, ended, measured float64 } // by the plan, of all and of those that have ended; and what these took

// add adds the planned work of groups of fits.
func (a *account) add(groups []learner.Group, by [][]request) {
	settings := make(map[string]*work)
	for _, g := range groups {
		a.compiling += g.Compile
		each := g.Block * float64(g.Blocks) / float64(len(g.Fits))
		for _, fit := range g.Fits {
			for _, asked := range by[fit] {
				m := &asked.study.missing[asked.fit]
				if m.work == nil {
					setting := string(m.result.Config)
					if settings[setting] == nil {
						settings[setting] = new(work)
						a.all = append(a.all, settings[setting])
					}
					m.work = settings[setting]
				}
				cost := each / float64(len(by[fit]))
				m.cost += cost
				m.work.planned += cost
				m.before = append(m.before, &g.Compile)
			}
		}
	}
}

// share estimates which part of the work is done: what fits of the same setting took says what the others will take, and the plan and
// the mean error of the plan where none has ended. It is 0 if the learner has no plan.
func (a *account) share() float64 {
	var ended, took float64
	for _, w := range a.all {
		ended, took = ended+w.ended, took+w.measured
	}
	if ended == 0 {
		return 0
	}
	mean := took / ended
	left := mean * (a.compiling - a.compiled)
	for _, w := range a.all {
		if w.ended > 0 {
			left += (w.planned - w.ended) * w.measured / w.ended
		} else {
			left += w.planned * mean
		}
	}
	done := took + mean*a.compiled
	return done / (done + left)
}

// spend notes that a fit has ended after some seconds, 0 for one that failed.
func (s *setStudy) spend(fit int, seconds float64) {
	m := &s.missing[fit]
	if m.work == nil {
		return // it was not planned
	}
	if seconds > 0 {
		m.work.ended += m.cost
		m.work.measured += seconds
	} else {
		m.work.planned -= m.cost
	}
	for _, cost := range m.before {
		s.summary.compiled += *cost
		*cost = 0
	}
}
