package calibrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"synpool/milbench"
)

// HeldOutFolds is the number of folds of [CutFolds]. There are fewer if a class has fewer bags.
const HeldOutFolds = 5

// CutFolds divides the bags of a set into folds for [HeldOut], stratified by class and with whole groups. Each bag is in one
// fold. A set without classes, or with a class of fewer than two bags or groups, is an error.
func CutFolds(set *milbench.Set, seed uint64) (folds [][]int, err error) {
	if set.Kind != milbench.BinaryTarget && set.Kind != milbench.ClassTarget {
		return nil, fmt.Errorf("%s: targets of kind %v have no probabilities", set.Name, set.Kind)
	}
	var all []milbench.Example
	for i, b := range set.Bags {
		all = append(all, milbench.Example{Bag: i, Target: b.Target})
	}
	cuts, err := milbench.CutInner(set.Task(nil), all, HeldOutFolds, milbench.SplitSeed(seed, "calibrate"))
	if errors.Is(err, milbench.ErrInner) {
		return nil, fmt.Errorf("%s: the held-out folds need two bags or groups of each class; add bags", set.Name)
	}
	if err != nil {
		return nil, err
	}
	held := make(map[int]bool)
	for _, fold := range cuts { // CutInner may cut several times; the first cut has each bag once
		if slices.ContainsFunc(fold, func(i int) bool { return held[i] }) {
			break
		}
		for _, i := range fold {
			held[i] = true
		}
		folds = append(folds, fold)
	}
	return folds, nil
}

// HeldOut learns the calibration of a model that will be trained on all bags of a set. It trains the same setting without
// each fold, scores the fold, and passes the scores to [Learn]. A model knows nothing of its held-out bags: standardisation
// and the weights of an ensemble come from the other bags alone. progress is called before the first fit and after each.
//
// The folds are those of [CutFolds]. The seed determines the seeds of the fits. Errors of a fit name its fold.
func HeldOut(ctx context.Context, method Method, by milbench.Learner, set *milbench.Set, setting json.RawMessage, folds [][]int, seed uint64,
	progress func(done, of int)) (*Learnt, error) {
	var fits []milbench.Fit
	for n, held := range folds {
		fit := milbench.Fit{Fold: n, Setting: setting, Test: held,
			Seed: milbench.SplitSeed(seed, "calibrate", n), Order: milbench.SplitSeed(seed, "calibrate order")}
		for i, b := range set.Bags {
			if !slices.Contains(held, i) {
				fit.Train = append(fit.Train, milbench.Example{Bag: i, Target: b.Target})
			}
		}
		fits = append(fits, fit)
	}
	outcomes, done := make([]milbench.Outcome, len(fits)), 0
	progress(done, len(fits))
	if err := by.Learn(ctx, set.Task(fits), func(o milbench.Outcome) error {
		outcomes[o.Fit] = o
		done++
		progress(done, len(fits))
		return nil
	}); err != nil {
		return nil, err
	}
	var labels, fold []int
	var scores [][]float64
	for n, o := range outcomes {
		where := fmt.Sprintf("%s, fold %d of %d", set.Name, n+1, len(outcomes))
		if o.Err != nil {
			return nil, fmt.Errorf("%s: %w", where, o.Err)
		}
		if len(o.Epochs) == 0 || len(o.Epochs[len(o.Epochs)-1].Test) != len(fits[n].Test) {
			return nil, fmt.Errorf("%s: the learner did not score the held-out bags", where)
		}
		for j, p := range o.Epochs[len(o.Epochs)-1].Test {
			labels = append(labels, set.Bags[fits[n].Test[j]].Label)
			fold, scores = append(fold, n), append(scores, p.Scores)
		}
	}
	learnt, err := Learn(method, set.NumClasses(), labels, scores, fold)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w; add bags", method, set.Name, err)
	}
	return learnt, nil
}
