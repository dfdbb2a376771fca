package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench"
	"synpool/milbench/cluster"
)

// AddTo adds the fits of runs to a plan, with the learner's cost estimates. The runs' sets are made from source, a
// named set or a file.
func AddTo(p *cluster.Plan, runs []Run, source string, learner milbench.Learner) error {
	var sum Summary
	var studies []*setStudy
	for i := range runs {
		more, err := runs[i].studies(&sum)
		if err != nil {
			return err
		}
		studies = append(studies, more...)
	}
	arms := make(map[*setStudy]int)
	for _, s := range studies {
		if err := s.skip(nil, nil); err != nil {
			return err
		}
		arms[s] = len(p.Arms)
		p.Arms = append(p.Arms, s.arm(p, source))
	}
	planned := make(map[string]bool, len(p.Fits))
	for _, f := range p.Fits {
		planned[f.ID] = true
	}
	place := make(map[string]int, len(p.Settings))
	for i, setting := range p.Settings {
		place[string(setting)] = i
	}
	number := 0 // number of the task
	if n := len(p.Groups); n > 0 {
		number = p.Groups[n-1].Task + 1
	}
	for _, j := range joints(studies) {
		task, by, err := j.task()
		if err != nil {
			return err
		}
		plan, err := learner.Plan(task)
		if err != nil {
			return err
		}
		add := func(g cluster.Group, trainings []int) { // a fit's index occurs once per network
			g.Task = number
			networks := make(map[int]int)
			var order []int
			for _, i := range trainings {
				if networks[i] == 0 {
					order = append(order, i)
				}
				networks[i]++
			}
			added := false
			for training, i := range order {
				for _, a := range by[i] {
					r := a.study.partial[a.fit]
					if planned[r.Fit] {
						continue // two runs ask for it
					}
					planned[r.Fit], added = true, true
					p.Fits = append(p.Fits, cluster.Fit{ID: r.Fit, Arm: arms[a.study], Setting: place[string(r.Config)], Repeat: r.Repeat, Fold: r.Fold,
						Seed: a.study.fits[a.fit].Seed, Group: len(p.Groups), Training: training, Networks: networks[i]})
				}
			}
			if added {
				p.Groups = append(p.Groups, g)
			}
		}
		left := make(map[int]bool) // fits without a group: they will fail
		for i := range task.Fits {
			left[i] = true
		}
		for _, g := range plan.Groups {
			for _, i := range g.Fits {
				delete(left, i)
			}
			add(cluster.Group{Members: g.Members, Compile: g.Compile, Block: g.Block, Memory: g.Memory}, g.Fits)
		}
		var rest []int
		for i := range left {
			rest = append(rest, i)
		}
		slices.Sort(rest)
		add(cluster.Group{Members: 1}, rest)
		number++
	}
	return nil
}

// arm returns the plan's description of s, and adds its set and settings to the plan.
func (s *setStudy) arm(p *cluster.Plan, source string) cluster.Arm {
	set := cluster.Set{Name: s.set.Name, Checksum: s.set.Checksum, Source: source}
	a := cluster.Arm{Set: slices.Index(p.Sets, set), Protocol: s.Protocol}
	if a.Set < 0 {
		a.Set = len(p.Sets)
		p.Sets = append(p.Sets, set)
	}
	a.Folds, a.FoldsRun = s.Protocol.FoldsOf(s.set)
	for _, r := range s.partial {
		at := slices.IndexFunc(p.Settings, func(known json.RawMessage) bool { return string(known) == string(r.Config) })
		if at < 0 {
			at = len(p.Settings)
			p.Settings = append(p.Settings, r.Config)
		}
		if slices.Contains(a.Settings, at) {
			break // settings are innermost, so the second fold starts here
		}
		a.Settings = append(a.Settings, at)
	}
	return a
}

// Restrict returns the runs that contain given fits of a plan, limited to these fits. It returns an error if no run
// has one of the fits: its set has changed since the plan was made, or the plan is from another version.
func Restrict(runs []Run, p *cluster.Plan, fits []cluster.Fit) (kept []Run, err error) {
	r := NewRestriction(p, fits)
	for _, run := range runs {
		some, err := r.Keep(&run)
		if err != nil {
			return nil, err
		}
		if some {
			kept = append(kept, run)
		}
	}
	return kept, r.Lost()
}

// Restriction limits runs to some fits of a plan.
type Restriction struct {
	plan    *cluster.Plan
	fits    []cluster.Fit
	only    map[string]bool // ids of the fits
	left    map[string]bool // fits not found in any run so far
	changed []string        // sets whose checksum differs from the plan's
}

// NewRestriction returns a restriction to the given fits of a plan.
func NewRestriction(p *cluster.Plan, fits []cluster.Fit) *Restriction {
	r := &Restriction{plan: p, fits: fits, only: make(map[string]bool, len(fits)), left: make(map[string]bool, len(fits))}
	for _, f := range fits {
		r.only[f.ID], r.left[f.ID] = true, true
	}
	return r
}

// Keep limits a run to the fits and reports whether it has any of them.
func (r *Restriction) Keep(run *Run) (some bool, err error) {
	run.Only = r.only
	var sum Summary
	studies, err := run.studies(&sum)
	if err != nil {
		return false, err
	}
	for _, s := range studies {
		if err := s.skip(nil, nil); err != nil {
			return false, err
		}
		for _, result := range s.partial {
			delete(r.left, result.Fit)
			some = true
		}
		for _, known := range r.plan.Sets {
			if known.Name == s.set.Name && known.Checksum != s.set.Checksum {
				r.changed = append(r.changed, fmt.Sprintf("here %s has the checksum %.12s, in the plan %.12s", known.Name, s.set.Checksum, known.Checksum))
			}
		}
	}
	return some, nil
}

// Lost returns an error if some fit was in no run.
func (r *Restriction) Lost() error {
	for _, f := range r.fits {
		if r.left[f.ID] {
			name := r.plan.Sets[r.plan.Arms[f.Arm].Set].Name
			return fmt.Errorf("%s: %d fits of the plan are not there (%s); make a new plan", name, len(r.left), strings.Join(append(r.changed, "say "+f.ID), "; "))
		}
	}
	return nil
}
