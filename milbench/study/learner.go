package study

import (
	"context"
	"encoding/json"

	"synpool/milbench"
	"synpool/milbench/baseline"
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
	var instance, neural []int
	for i, f := range task.Fits {
		var setting struct{ Pooling string }
		if json.Unmarshal(f.Setting, &setting) == nil && setting.Pooling == baseline.Pooling {
			instance = append(instance, i)
		} else { // what is wrong with a setting, neural says
			neural = append(neural, i)
		}
	}
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
