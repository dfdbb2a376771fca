package learner

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"synpool/milbench"
)

// Imputed is a [milbench.Learner] of tasks with missing values ([milbench.Missing]): in each fit the median of the training part stands in
// their place, in the bags of its test part, too. Inner folds share the median of their whole training part.
type Imputed struct {
	Of milbench.Learner
}

var _ milbench.Learner = Imputed{}

// Takes implements [milbench.Learner].
func (l Imputed) Takes() milbench.Takes { return l.Of.Takes() }

// Learn implements [milbench.Learner].
func (l Imputed) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	task, err := imputed(task)
	if err != nil {
		return err
	}
	return l.Of.Learn(ctx, task, done)
}

// Plan implements [milbench.Learner].
func (l Imputed) Plan(task milbench.Task) (milbench.Plan, error) {
	task, err := imputed(task)
	if err != nil {
		return milbench.Plan{}, err
	}
	return l.Of.Plan(task)
}

// imputed returns a task without missing values, which has all bags once for each list of medians, in their order.
func imputed(task milbench.Task) (milbench.Task, error) {
	if len(task.Missing) == 0 || len(task.Fits) == 0 {
		return task, nil
	}
	if err := task.Validate(); err != nil {
		return task, err
	}
	whole := task
	task.Bags, task.Groups, task.Missing, task.Fits = nil, nil, nil, slices.Clone(task.Fits)
	byMedians := make(map[string][]int) // where the bags of a fit stand, by the medians
	byPart := make(map[string][]int)    // likewise, by the training part
	for f := range task.Fits {
		fit := &task.Fits[f]
		part := key(len(fit.Train), func(k int) uint64 { return uint64(fit.Train[k].Bag) })
		at, known := byPart[part]
		if !known {
			var bags []milbench.Instances
			for _, e := range fit.Train {
				bags = append(bags, whole.Bags[e.Bag])
			}
			medians, err := milbench.Medians(bags, whole.Missing)
			if err != nil {
				return task, err
			}
			values := key(len(medians), func(k int) uint64 { return uint64(math.Float32bits(medians[k].Value)) })
			if at, known = byMedians[values]; !known {
				for _, b := range whole.Bags {
					x, err := milbench.Impute(b, medians)
					if err != nil {
						return task, err
					}
					at = append(at, len(task.Bags))
					task.Bags = append(task.Bags, x)
				}
				task.Groups = append(task.Groups, whole.Groups...)
				byMedians[values] = at
			}
			byPart[part] = at
		}
		*fit = fit.Moved(at)
	}
	return task, nil
}

// key returns a text that n numbers have in common with no others.
func key(n int, number func(k int) uint64) string {
	var text []byte
	for k := range n {
		text = binary.AppendUvarint(text, number(k))
	}
	return string(text)
}
