package calibrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// HeldOutFolds is the number of folds of [HeldOut]. There are fewer if a class has fewer bags.
const HeldOutFolds = 5

// HeldOut learns the calibration of a model that is trained on all bags of a set. It trains the same setting without each
// fold, scores the fold, and passes the scores to [Learn]. A model knows nothing of its held-out bags: standardisation and
// the weights of an ensemble come from the other bags alone.
type HeldOut struct {
	Method   Method
	Learner  learner.Learner
	Setting  json.RawMessage
	Seed     uint64             // of the folds and the fits
	Progress func(done, of int) // called before the first fit and after each; may be nil
}

// Folds returns the held-out folds, stratified by class and with whole groups. Each bag is in one fold. A set without classes,
// or with a class of fewer than two bags or groups, is an error.
func (h HeldOut) Folds(set *mil.Set) (folds [][]int, err error) {
	if set.Kind != mil.BinaryTarget && set.Kind != mil.ClassTarget {
		return nil, fmt.Errorf("%s: targets of kind %v have no probabilities", set.Name, set.Kind)
	}
	cuts, err := cv.CutInner(cv.NewTask(set, nil), cv.Examples(set), HeldOutFolds, cv.SplitSeed(h.Seed, "calibrate"))
	if errors.Is(err, cv.ErrInner) {
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

// Learn trains and scores the folds and returns the calibration. The errors are those of [ParseMethod], [HeldOut.Folds] and [Learn]; the
// error of a fit names its fold.
func (h HeldOut) Learn(ctx context.Context, set *mil.Set) (*Learnt, error) {
	if _, err := ParseMethod(string(h.Method)); err != nil {
		return nil, err
	}
	folds, err := h.Folds(set)
	if err != nil {
		return nil, err
	}
	var fits []cv.Fit
	for n, held := range folds {
		fit := cv.Fit{Fold: n, Setting: h.Setting, Test: held,
			Seed: cv.SplitSeed(h.Seed, "calibrate", n), Order: cv.SplitSeed(h.Seed, "calibrate order")}
		for i, b := range set.Bags {
			if !slices.Contains(held, i) {
				fit.Train = append(fit.Train, cv.Example{Bag: i, Target: b.Target})
			}
		}
		fits = append(fits, fit)
	}
	outcomes, done := make([]learner.Outcome, len(fits)), 0
	h.tell(done, len(fits))
	if err := h.Learner.Learn(ctx, cv.NewTask(set, fits), func(o learner.Outcome) error {
		outcomes[o.Fit] = o
		done++
		h.tell(done, len(fits))
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
	learnt, err := Learn(h.Method, set.NumClasses(), labels, scores, fold)
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w; add bags", set.Name, h.Method, err)
	}
	return learnt, nil
}

func (h HeldOut) tell(done, of int) {
	if h.Progress != nil {
		h.Progress(done, of)
	}
}
