package study

import (
	"context"
	"encoding/json"
	"fmt"

	"synpool/milbench"
	"synpool/milbench/baseline"
	"synpool/milbench/neural"
)

// Learner returns what learns every setting of [Experiments]: neural ones by neural, the instance classifier by package
// baseline, so many fits at a time, and ensembles of either.
func Learner(neural milbench.Learner, workers int) milbench.Learner {
	return milbench.Ensemble{Of: byPooling{neural, baseline.Instance{Workers: workers}}}
}

// byPooling hands fits to the learner of their pooling.
type byPooling struct{ neural, instance milbench.Learner }

// Learn implements [milbench.Learner].
func (l byPooling) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	instance, neural := split(task)
	learn := func(learner milbench.Learner, fits []int) error {
		if len(fits) == 0 {
			return nil
		}
		part := task
		part.Fits = nil
		for _, i := range fits {
			part.Fits = append(part.Fits, task.Fits[i])
		}
		return learner.Learn(ctx, part, func(o milbench.Outcome) error {
			if o.Fit >= 0 && o.Fit < len(fits) {
				o.Fit = fits[o.Fit]
			}
			return done(o)
		})
	}
	if err := learn(l.instance, instance); err != nil {
		return err
	}
	return learn(l.neural, neural)
}

// split returns the fits of the instance classifier and the others, by index. What is wrong with a setting, neural says.
func split(task milbench.Task) (instance, neural []int) {
	for i, f := range task.Fits {
		var setting struct{ Pooling string }
		if json.Unmarshal(f.Setting, &setting) == nil && setting.Pooling == baseline.Pooling {
			instance = append(instance, i)
		} else {
			neural = append(neural, i)
		}
	}
	return instance, neural
}

// Planner says what a task takes: [neural.Trainer], or what [Plans] makes of one.
type Planner interface {
	Plan(milbench.Task) (neural.Plan, error)
}

// Plans returns what plans for [Learner]: networks as neural does, instance classifiers, and the members of ensembles, whose
// fit stands in its group once a member.
func Plans(neural Planner, workers int) Planner { return planner{neural, max(workers, 1)} }

type planner struct {
	neural  Planner
	workers int
}

func (p planner) Plan(task milbench.Task) (neural.Plan, error) {
	fits := task.Fits
	var of []int // of each network, its fit
	task.Fits = nil
	for i, fit := range fits {
		n, setting, err := milbench.Members(fit.Setting)
		if err != nil {
			return neural.Plan{}, fmt.Errorf("%s: %w", task.Name, err)
		}
		fit.Setting = setting
		for range max(n, 1) {
			task.Fits, of = append(task.Fits, fit), append(of, i)
		}
	}
	instance, networks := split(task)
	part := task
	part.Fits = nil
	for _, i := range networks {
		part.Fits = append(part.Fits, task.Fits[i])
	}
	plan := neural.Plan{Workers: p.workers}
	if len(part.Fits) > 0 {
		var err error
		if plan, err = p.neural.Plan(part); err != nil {
			return neural.Plan{}, err
		}
	}
	for g := range plan.Groups {
		for k, i := range plan.Groups[g].Fits {
			plan.Groups[g].Fits[k] = of[networks[i]]
		}
	}
	if len(instance) > 0 {
		g := neural.Group{Members: 1, Blocks: len(instance), Memory: plan.Memory}
		for _, i := range instance {
			g.Fits = append(g.Fits, of[i])
			g.Block += baseline.Seconds(task.Bags, task.Fits[i]) / float64(len(instance))
		}
		plan.Groups = append(plan.Groups, g)
		plan.Blocks += g.Blocks
	}
	plan.Fits = len(fits)
	plan.Time = neural.Time(plan.Groups, p.workers)
	return plan, nil
}
