// Package learners lists all learners. It also builds ensembles, inner folds and the portfolio auto from them, and
// trains, saves and loads models of every kind.
//
// Package neural trains networks side by side. Package classic has the classical learners, one file each, and
// [learner.Classical] runs them. To add a classical learner, write its file and add a line to [Classic]; outside this
// module, [Register] it.
package learners

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/classic"
	"synpool/milbench/mil"
)

// registered are the learners of [Register].
var registered []learner.Entry

// Register adds a classical learner of your own to [Classic], before anything else uses this package. Runs, models and
// the command then know it by its name. remove takes it away again, for tests.
func Register(e learner.Entry) (remove func(), err error) {
	if e.Name == "" || slices.Contains(Names(), e.Name) {
		return nil, fmt.Errorf("learner %q: a learner of your own needs a name of its own; rename it", e.Name)
	}
	if _, err := e.Settings(); err != nil {
		return nil, err
	}
	before := registered
	registered = append(slices.Clip(registered), e)
	return func() { registered = before }, nil
}

// Classic returns the classical learners, those of [Register] at the end.
func Classic() []learner.Entry {
	return append([]learner.Entry{
		classic.StatisticsSVMEntry(),
		classic.StatisticsTreesEntry(),
		classic.DistanceSVMEntry(),
		classic.SetKernelSVMEntry(),
		classic.MInDEntry(),
		classic.MILESEntry(),
		classic.BagMISVMEntry(),
		classic.InstanceMISVMEntry(),
		classic.CitationKNNEntry(),
		classic.BagOfWordsEntry(),
		classic.FisherVectorsEntry(),
		classic.LinearProbeEntry(),
		classic.NearestMeanEntry(),
		classic.InstanceEntry(),
	}, registered...)
}

// Names returns the names of the classical learners, in the order of [Classic], followed by [AutoName]. [Settings]
// returns their settings.
func Names() (names []string) {
	for _, e := range Classic() {
		names = append(names, e.Name)
	}
	return append(names, AutoName)
}

// Find returns the classical learner with the given name. The error for an unknown name suggests the nearest of
// [Names].
func Find(name string) (learner.Entry, error) {
	all := Classic()
	if i := slices.IndexFunc(all, func(e learner.Entry) bool { return e.Name == name }); i >= 0 {
		return all[i], nil
	}
	return learner.Entry{}, fmt.Errorf("learner %q: there is no such learner; %s", name, spelling.Hint(name, Names()))
}

// Logits reports whether models with this setting return logits: networks do, learners that declare it
// ([learner.Entry.Logits]), and auto, which learns probabilities from held-out bags (logistic regression for two classes,
// log-probabilities for several). A model of any learner says it itself ([About.Logits]).
func Logits(setting json.RawMessage) bool {
	e, err := Find(learner.Name(setting))
	return err != nil || e.Logits
}

// Resources limits what learners may use of a machine.
type Resources struct {
	Workers int    // fits, or blocks of them, that run at a time; at least 1
	Memory  uint64 // bytes; 0 means no limit
}

// All returns a learner of every setting: the classical learners, networks, and ensembles ([Members]) and portfolios
// ([Portfolio]) of these.
func All(networks learner.Learner, r Resources) learner.Learner {
	return prepared{auto{
		Of:    Inner{Of: each(networks, r)},
		check: func(task cv.Task) error { return Check(networks, task) },
	}}
}

// each returns a learner of every setting, except that it has no inner folds.
func each(networks learner.Learner, r Resources) learner.Learner {
	return ensemble{Of: byName{learner.Classical{Entries: Classic(), Workers: r.Workers, Memory: r.Memory}, networks, max(r.Workers, 1)}}
}

// Check returns an error if a fit asks for a learner that cannot learn such a task. It does not plan the task. For a
// portfolio, that is an error only if no candidate can learn the task; it is the error of the first candidate.
func Check(networks learner.Learner, task cv.Task) error {
	l := byName{classic: learner.Classical{Entries: Classic()}, networks: networks}
	fits := task.Fits
	task.Fits = nil
	for _, fit := range fits {
		p, is, err := portfolioOf(fit.Setting)
		switch {
		case !is:
			if n, of, err := Members(fit.Setting); err == nil && n > 0 {
				fit.Setting = of
			}
			task.Fits = append(task.Fits, fit)
			continue
		case err != nil:
			return err
		}
		var first error
		for _, c := range p.Candidates {
			one := task
			one.Fits = []cv.Fit{{Setting: c}}
			if err = Check(networks, one); err == nil {
				break
			}
			first = cmp.Or(first, err)
		}
		switch {
		case err == nil:
		case task.Kind == mil.SurvivalTarget && !slices.ContainsFunc(p.Candidates, func(c json.RawMessage) bool { return !l.classic.Learns(c) }):
			return fmt.Errorf("%s: no candidate of %s learns targets of kind %v; take a network: --pooling gated", cmp.Or(task.Name, "task"), AutoName, task.Kind)
		default:
			return first
		}
	}
	for _, p := range l.parts(task) {
		check := networks.Takes().Check
		if _, none := networks.(noNetworks); none {
			check = func(cv.Task) error { return fmt.Errorf("%s: %w", cmp.Or(task.Name, "task"), errNoNetworks) }
		}
		if _, ours := p.learner.(learner.Classical); ours {
			check = l.classic.Check
		}
		if err := check(p.task); err != nil {
			return err
		}
	}
	return nil
}

// byName passes each fit to the learner of its setting.
type byName struct {
	classic  learner.Classical
	networks learner.Learner
	workers  int
}

// part is the fits of a task that one learner learns.
type part struct {
	*trainings
	learner learner.Learner
}

// parts returns the parts of a task that are not empty. Invalid settings go to the networks, which report them.
func (l byName) parts(task cv.Task) []part {
	parts := []part{{trainingsOf(task), l.classic}, {trainingsOf(task), l.networks}}
	for i, f := range task.Fits {
		if l.classic.Learns(f.Setting) {
			parts[0].add(f, place{i, 0})
		} else {
			parts[1].add(f, place{i, 0})
		}
	}
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.of) == 0 })
}

// Takes implements [learner.Learner]. It returns what any of the learners takes; Plan and Learn check it for each fit.
func (l byName) Takes() learner.Takes {
	all := l.networks.Takes()
	for _, k := range l.classic.Takes().Kinds {
		if !slices.Contains(all.Kinds, k) {
			all.Kinds = append(slices.Clip(all.Kinds), k)
		}
	}
	all.Name, all.Dense, all.Sparse, all.MaxInstances, all.MaxFeatures = "", true, true, 0, 0
	return all
}

// Learn implements [learner.Learner].
func (l byName) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	for _, p := range l.parts(task) {
		if err := p.learn(ctx, p.learner, done, nil); err != nil {
			return err
		}
	}
	return nil
}

// Plan implements [learner.Learner].
func (l byName) Plan(task cv.Task) (learner.Plan, error) {
	all := learner.Plan{Fits: len(task.Fits), Workers: l.workers}
	for _, p := range l.parts(task) {
		plan, err := p.plan(p.learner)
		if err != nil {
			return learner.Plan{}, err
		}
		all.Groups = append(all.Groups, plan.Groups...)
		all.Blocks += plan.Blocks
		all.Members, all.Memory = max(all.Members, plan.Members), max(all.Memory, plan.Memory)
		if plan.Note != "" {
			if all.Note != "" {
				all.Note += "; "
			}
			all.Note += plan.Note
		}
		all.Workers = min(all.Workers, plan.Workers)
	}
	all.Time = learner.TimeOf(all.Groups, all.Workers)
	return all, nil
}
