package learners

import (
	"context"
	"encoding/binary"
	"math"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// prepared is a [learner.Learner] for tasks with missing values or word features. In each fit, the training part
// decides how the instances of all parts are prepared ([mil.Prepare]). Inner folds share the preparation of their
// whole training part.
type prepared struct {
	Of learner.Learner
}

var _ learner.Learner = prepared{}

// Takes implements [learner.Learner].
func (l prepared) Takes() learner.Takes { return l.Of.Takes() }

// Learn implements [learner.Learner].
func (l prepared) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	task, err := prepare(task)
	if err != nil {
		return err
	}
	return l.Of.Learn(ctx, task, done)
}

// Plan implements [learner.Learner].
func (l prepared) Plan(task cv.Task) (learner.Plan, error) {
	task, err := prepare(task)
	if err != nil {
		return learner.Plan{}, err
	}
	return l.Of.Plan(task)
}

// prepare returns a task that needs no preparation. If fits prepare a bag differently, the task has one copy per
// preparation, next to one another. So the bags of a fit keep their order, which matters for rounding.
func prepare(task cv.Task) (cv.Task, error) {
	if len(task.Missing)+len(task.Words) == 0 || len(task.Fits) == 0 {
		return task, nil
	}
	if err := task.Validate(); err != nil {
		return task, err
	}
	var all []mil.Preparation
	number := make(map[string]int)    // of a preparation, by its content
	byPart := make(map[string]int)    // of a preparation, by the training part
	of := make([]int, len(task.Fits)) // of each fit
	for f, fit := range task.Fits {
		part := key(len(fit.Train), func(k int) uint64 { return uint64(fit.Train[k].Bag) })
		n, known := byPart[part]
		if !known {
			var bags []mil.Instances
			for _, e := range fit.Train {
				bags = append(bags, task.Bags[e.Bag])
			}
			p, err := mil.Prepare(bags, task.Missing, task.Words)
			if err != nil {
				return task, err
			}
			same := key(len(p.Missing)+len(p.Absent), func(k int) uint64 {
				if k < len(p.Missing) {
					return uint64(math.Float32bits(p.Missing[k].Value))
				}
				return uint64(p.Absent[k-len(p.Missing)])
			})
			if n, known = number[same]; !known {
				n = len(all)
				number[same], all = n, append(all, p)
			}
			byPart[part] = n
		}
		of[f] = n
	}
	places := make([][]int, len(all)) // positions of the bags, by preparation
	whole := task
	task.Bags, task.Groups, task.Missing, task.Words, task.Fits = nil, nil, nil, nil, nil
	for i, b := range whole.Bags {
		unchanged := -1
		for n, p := range all {
			x, err := p.Of(b)
			if err != nil {
				return task, err
			}
			if x == b && unchanged >= 0 {
				places[n] = append(places[n], unchanged)
				continue
			}
			if x == b {
				unchanged = len(task.Bags)
			}
			places[n] = append(places[n], len(task.Bags))
			task.Bags = append(task.Bags, x)
			if whole.Groups != nil {
				task.Groups = append(task.Groups, whole.Groups[i])
			}
		}
	}
	for f, fit := range whole.Fits {
		task.Fits = append(task.Fits, fit.Moved(places[of[f]]))
	}
	return task, nil
}

// key returns a string that is different for different lists of n numbers.
func key(n int, number func(k int) uint64) string {
	var text []byte
	for k := range n {
		text = binary.AppendUvarint(text, number(k))
	}
	return string(text)
}
