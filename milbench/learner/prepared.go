package learner

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"synpool/milbench"
)

// Prepared is a [milbench.Learner] of tasks with missing values or features of words: in each fit instances are prepared as the training part says
// ([milbench.Prepare]), those of its test part, too. Inner folds share the preparation of their whole training part.
type Prepared struct {
	Of milbench.Learner
}

var _ milbench.Learner = Prepared{}

// Takes implements [milbench.Learner].
func (l Prepared) Takes() milbench.Takes { return l.Of.Takes() }

// Learn implements [milbench.Learner].
func (l Prepared) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	task, err := prepared(task)
	if err != nil {
		return err
	}
	return l.Of.Learn(ctx, task, done)
}

// Plan implements [milbench.Learner].
func (l Prepared) Plan(task milbench.Task) (milbench.Plan, error) {
	task, err := prepared(task)
	if err != nil {
		return milbench.Plan{}, err
	}
	return l.Of.Plan(task)
}

// prepared returns a task that needs no preparation, which has all bags once for each one, in their order.
func prepared(task milbench.Task) (milbench.Task, error) {
	if len(task.Missing)+len(task.Words) == 0 || len(task.Fits) == 0 {
		return task, nil
	}
	if err := task.Validate(); err != nil {
		return task, err
	}
	whole := task
	task.Bags, task.Groups, task.Missing, task.Words, task.Fits = nil, nil, nil, nil, slices.Clone(task.Fits)
	alike := make(map[string][]int)  // where the bags of a fit stand, by the preparation
	byPart := make(map[string][]int) // likewise, by the training part
	for f := range task.Fits {
		fit := &task.Fits[f]
		part := key(len(fit.Train), func(k int) uint64 { return uint64(fit.Train[k].Bag) })
		at, known := byPart[part]
		if !known {
			var bags []milbench.Instances
			for _, e := range fit.Train {
				bags = append(bags, whole.Bags[e.Bag])
			}
			p, err := milbench.Prepare(bags, whole.Missing, whole.Words)
			if err != nil {
				return task, err
			}
			numbers := func(k int) uint64 {
				if k < len(p.Missing) {
					return uint64(math.Float32bits(p.Missing[k].Value))
				}
				return uint64(p.Absent[k-len(p.Missing)])
			}
			same := key(len(p.Missing)+len(p.Absent), numbers)
			if at, known = alike[same]; !known {
				for _, b := range whole.Bags {
					x, err := p.Of(b)
					if err != nil {
						return task, err
					}
					at = append(at, len(task.Bags))
					task.Bags = append(task.Bags, x)
				}
				task.Groups = append(task.Groups, whole.Groups...)
				alike[same] = at
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
