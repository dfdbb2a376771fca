package predict

import (
	"context"
	"errors"
	"fmt"

	"synpool/milbench/calibrate"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// ErrNoPValues is the error of a model that was trained without [calibrate.HeldOut.Instances].
var ErrNoPValues = errors.New("the model has no scores of instances of held-out negative bags; train it with milbench train --calibrate instances")

// Discover sets the p-values of all instances in rows, which are of the bags of a set, and selects a list of them of which a share of at most rate
// is expected to be negative, by [stats.BenjaminiHochberg] over all bags together. [calibrate.HeldOut.Instances] says what this
// takes for granted. It returns the number of selected instances.
func Discover(ctx context.Context, model learners.Model, set *mil.Set, l *calibrate.Learnt, rows []Bag, rate float64) (selected int, err error) {
	if l == nil || l.Instances == nil {
		return 0, ErrNoPValues
	}
	if !(rate > 0 && rate < 1) {
		return 0, fmt.Errorf("false discovery rate %v; give one above 0 and below 1", rate)
	}
	var all []float64
	for i, b := range set.Bags {
		alone := make([]mil.Instances, b.Instances.Len())
		for k := range alone {
			if alone[k], err = mil.Rows(b.Instances, []int{k}); err != nil {
				return 0, err
			}
		}
		scored, err := model.Predict(ctx, alone, false)
		if err != nil {
			return 0, fmt.Errorf("bag %s: %w", b.ID, err)
		}
		for k, p := range scored {
			value := l.Instances.PValue(p.Scores[0])
			rows[i].Instances[k].PValue = &value
			all = append(all, value)
		}
	}
	adjusted, err := stats.BenjaminiHochberg(all)
	if err != nil {
		return 0, err
	}
	for i := range rows {
		for k := range rows[i].Instances {
			found := adjusted[0] <= rate
			rows[i].Instances[k].Discovery, adjusted = &found, adjusted[1:]
			if found {
				selected++
			}
		}
	}
	return selected, nil
}
