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

// HeldOut learns the calibration, and the sets or intervals, of a model that is trained on all bags of a set. It trains the
// same setting without each fold, scores the fold, and passes the scores to [Learn], and to [FitSets] or [FitIntervals]. A model knows nothing of its held-out bags: standardisation and
// the weights of an ensemble come from the other bags alone.
type HeldOut struct {
	Method Method  // of probabilities; "" for none
	Level  float64 // of conformal sets or intervals, see [DefaultLevel]; 0 for none
	// Instances asks for [Learnt.Instances], the scores of instances of held-out negative bags. Each is scored as a bag of its own,
	// so its score depends on nothing else in its bag. At most 10,000 are drawn at random. The target must be binary.
	//
	// Its [Nonconformity.PValue] for the score of another instance, scored so by the model of all bags, is small if the
	// instance is more positive than instances of negative bags are. If those of negative bags and the negative ones of new
	// bags are independent draws from one distribution, [stats.BenjaminiHochberg] of all p-values selects instances with a
	// controlled false discovery rate (Bates et al., 2023; p-values that share held-out scores are positively dependent). It
	// is a marginal guarantee, on average over draws of the held-out bags, and two things loosen it. Models of the other folds
	// give the held-out scores, see [Conformal]. And instances of one bag often depend on each other, as tiles of one slide
	// do: then a whole bag can be selected falsely, and the rate is that of independent instances only roughly. The sample
	// counts instances, not bags, because p-values of bags could not be below 1/(bags+1), too large to select anything.
	//
	// Source: S. Bates, E. Candès, L. Lei, Y. Romano and M. Sesia, "Testing for outliers with conformal p-values", Annals of
	// Statistics 51 (2023).
	Instances bool

	Learner  learner.Learner
	Setting  json.RawMessage
	Seed     uint64             // of the folds and the fits
	Progress func(done, of int) // called before the first fit and after each; may be nil
}

// Folds returns the held-out folds, stratified by class and with whole groups. Each bag is in one fold. A class of fewer
// than two bags or groups is an error, and so are probabilities of a set without classes, sets and intervals of survival
// times, and intervals from too few bags or groups.
func (h HeldOut) Folds(set *mil.Set) (folds [][]int, err error) {
	switch units := len(mil.Units(set.Bags)); {
	case h.Instances && set.Kind != mil.BinaryTarget:
		return nil, fmt.Errorf("%s: p-values of instances need a target of two classes, and it is of kind %v", set.Name, set.Kind)
	case h.Method != "" && set.NumClasses() == 0:
		return nil, fmt.Errorf("%s: targets of kind %v have no probabilities", set.Name, set.Kind)
	case set.Kind == mil.SurvivalTarget:
		return nil, fmt.Errorf("%s: targets of kind %v have no conformal intervals, because censored times have no error", set.Name, set.Kind)
	case h.Level != 0 && checkLevel(h.Level) != nil:
		return nil, checkLevel(h.Level)
	case h.Level != 0 && set.NumClasses() == 0 && units < least(h.Level):
		return nil, fmt.Errorf("%s: intervals of level %g need %d bags or groups, and there are %d; add bags, or choose a lower level",
			set.Name, h.Level, least(h.Level), units)
	}
	cuts, err := cv.CutInner(cv.NewTask(set, nil), cv.Examples(set), HeldOutFolds, cv.SplitSeed(h.Seed, "calibrate"))
	if errors.Is(err, cv.ErrInner) {
		return nil, fmt.Errorf("%s: the held-out folds need two bags or groups%s; add bags", set.Name, map[bool]string{true: " of each class"}[set.NumClasses() > 0])
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

// Learn trains and scores the folds and returns the calibration and the sets or intervals. The errors are those of [ParseMethod],
// [HeldOut.Folds], [Learn], [FitSets] and [FitIntervals]; the error of a fit names its fold.
func (h HeldOut) Learn(ctx context.Context, set *mil.Set) (*Learnt, error) {
	if _, err := ParseMethod(string(h.Method)); err != nil && (h.Method != "" || h.Level == 0 && !h.Instances) {
		return nil, err
	}
	folds, err := h.Folds(set)
	if err != nil {
		return nil, err
	}
	var fits []cv.Fit
	for n, held := range folds {
		fit := cv.Fit{Fold: n, Setting: h.Setting, Test: slices.Clone(held),
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
	task := cv.NewTask(set, fits)
	if h.Instances {
		if err := h.addInstances(&task, set); err != nil {
			return nil, err
		}
	}
	if err := h.Learner.Learn(ctx, task, func(o learner.Outcome) error {
		outcomes[o.Fit] = o
		done++
		h.tell(done, len(fits))
		return nil
	}); err != nil {
		return nil, err
	}
	var labels, fold []int
	var targets, values, instances []float64
	var scores [][]float64
	var bags []mil.Bag
	for n, o := range outcomes {
		where := fmt.Sprintf("%s, fold %d of %d", set.Name, n+1, len(outcomes))
		if o.Err != nil {
			return nil, fmt.Errorf("%s: %w", where, o.Err)
		}
		if len(o.Epochs) == 0 || len(o.Epochs[len(o.Epochs)-1].Test) != len(fits[n].Test) {
			return nil, fmt.Errorf("%s: the learner did not score the held-out bags", where)
		}
		for j, p := range o.Epochs[len(o.Epochs)-1].Test {
			if fits[n].Test[j] >= len(set.Bags) {
				instances = append(instances, p.Scores[0])
				continue
			}
			b := set.Bags[fits[n].Test[j]]
			bags, labels, targets = append(bags, b), append(labels, b.Label), append(targets, b.Value)
			fold, scores, values = append(fold, n), append(scores, p.Scores), append(values, p.Scores[0])
		}
	}
	learnt := &Learnt{Folds: len(folds)}
	if h.Method != "" {
		if learnt, err = Learn(h.Method, set.NumClasses(), labels, scores, fold); err != nil {
			return nil, fmt.Errorf("%s: %s: %w; add bags", set.Name, h.Method, err)
		}
	}
	if h.Instances {
		alone, err := unitsOf(nil, len(instances))
		if err != nil {
			return nil, err
		}
		sample := newNonconformity(instances, alone)
		if err := sample.validate(); err != nil {
			return nil, fmt.Errorf("%s: instances: %w", set.Name, err)
		}
		learnt.Instances = &sample
	}
	if h.Level == 0 {
		return learnt, nil
	}
	units := mil.Units(bags)
	if set.NumClasses() == 0 {
		learnt.Conformal, err = FitIntervals(h.Level, targets, values, units)
	} else if learnt.Conformal, err = FitSets(h.Level, set.NumClasses(), labels, scores, units); err == nil {
		learnt.Size, err = crossSize(h.Level, set.NumClasses(), labels, scores, units, fold)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: conformal: %w", set.Name, err)
	}
	return learnt, nil
}

// maxInstances is the most instances that are scored. More would make p-values finer than 1/10,000.
const maxInstances = 10_000

// addInstances adds instances of negative bags to a task, each as a bag of its own, and to what the fits score.
func (h HeldOut) addInstances(task *cv.Task, set *mil.Set) error {
	type place struct{ fit, bag, instance int }
	var all []place
	for n, f := range task.Fits {
		for _, b := range f.Test {
			for i := range set.Bags[b].Instances.Len() {
				if set.Bags[b].Label == 0 {
					all = append(all, place{n, b, i})
				}
			}
		}
	}
	cv.Rand(h.Seed, "calibrate instances").Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, p := range all[:min(len(all), maxInstances)] {
		one, err := mil.Rows(set.Bags[p.bag].Instances, []int{p.instance})
		if err != nil {
			return err
		}
		task.Fits[p.fit].Test = append(task.Fits[p.fit].Test, len(task.Bags))
		task.Bags = append(task.Bags, one)
		if task.Groups != nil {
			task.Groups = append(task.Groups, task.Groups[p.bag])
		}
	}
	return nil
}

func (h HeldOut) tell(done, of int) {
	if h.Progress != nil {
		h.Progress(done, of)
	}
}
