package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/learner/modeldir"
	"synpool/milbench/predict"
	"synpool/plotting"
)

// calibrationFolds is the number of folds that hold out bags for a calibration. There are fewer if a class has fewer bags.
const calibrationFolds = 5

// calibrating is the flag that asks for a calibration, and what is learnt.
type calibrating struct {
	name   string
	method calibrate.Method // "" where none is asked for
	folds  [][]int          // of held-out bags
	learnt *calibrate.Learnt
}

func (k *calibrating) addTo(f *pflag.FlagSet) {
	f.StringVar(&k.name, "calibrate", "", "`method` that learns probabilities from held-out bags: "+strings.Join(methodNames(), ", ")+" (default none)")
}

// check reports an unknown method.
func (k *calibrating) check(f *pflag.FlagSet) (err error) {
	if !f.Changed("calibrate") {
		return nil
	}
	if k.method, err = calibrate.ParseMethod(k.name); err != nil {
		return fmt.Errorf("--calibrate %w", err)
	}
	return nil
}

// cut cuts a set into folds, stratified by class and with whole groups. It reports a set that has no probabilities or too few bags. Each
// bag is held out at most once, since only the first cut of [milbench.CutInner] is used.
func (k *calibrating) cut(set *milbench.Set, seed uint64) error {
	if k.method == "" {
		return nil
	}
	if set.Kind != milbench.BinaryTarget && set.Kind != milbench.ClassTarget {
		return fmt.Errorf("--calibrate: %s: targets of kind %v have no probabilities; leave the flag out", set.Name, set.Kind)
	}
	var train []milbench.Example
	for i, b := range set.Bags {
		train = append(train, milbench.Example{Bag: i, Target: b.Target})
	}
	folds, err := milbench.CutInner(set.Task(nil), train, calibrationFolds, milbench.SplitSeed(seed, "calibrate"))
	if errors.Is(err, milbench.ErrInner) {
		return fmt.Errorf("--calibrate: %s: the held-out folds need two bags or groups of each class; add bags, or leave the flag out",
			set.Name)
	}
	if err != nil {
		return err
	}
	held := make(map[int]bool)
	for _, f := range folds {
		if slices.ContainsFunc(f, func(i int) bool { return held[i] }) {
			break
		}
		for _, i := range f {
			held[i] = true
		}
		k.folds = append(k.folds, f)
	}
	return nil
}

// learn trains a model without each fold and learns the calibration from the scores of the held-out bags. A model knows nothing of its
// held-out bags: each fold weighs a portfolio and standardises values by the other bags alone.
func (k *calibrating) learn(ctx context.Context, by milbench.Learner, set *milbench.Set, setting json.RawMessage, seed uint64,
	progress func(done, of int)) error {
	if k.method == "" {
		return nil
	}
	var fits []milbench.Fit
	for n, held := range k.folds {
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
		return err
	}
	var labels, fold []int
	var scores [][]float64
	for n, o := range outcomes {
		where := fmt.Sprintf("--calibrate: %s, fold %d of %d", set.Name, n+1, len(outcomes))
		if o.Err != nil {
			return fmt.Errorf("%s: %w", where, o.Err)
		}
		if len(o.Epochs) == 0 || len(o.Epochs[len(o.Epochs)-1].Test) != len(fits[n].Test) {
			return fmt.Errorf("%s: the learner did not score the held-out bags", where)
		}
		for j, p := range o.Epochs[len(o.Epochs)-1].Test {
			labels = append(labels, set.Bags[fits[n].Test[j]].Label)
			fold, scores = append(fold, n), append(scores, p.Scores)
		}
	}
	var err error
	if k.learnt, err = calibrate.Learn(k.method, set.NumClasses(), labels, scores, fold); err != nil {
		return fmt.Errorf("--calibrate %s: %s: %w; add bags, or leave the flag out", k.method, set.Name, err)
	}
	return nil
}

// save keeps what was learnt beside a model.
func (k *calibrating) save(dir string) error {
	if k.learnt == nil {
		return nil
	}
	return modeldir.SaveCalibration(dir, k.learnt)
}

// fewForIsotonic is about the number of bags that isotonic regression needs (scikit-learn, user guide).
const fewForIsotonic = 1000

// writeCalibration prints how good the probabilities of held-out bags are, before and after.
func (p *program) writeCalibration(k *calibrating, setting json.RawMessage) error {
	l := k.learnt
	if l == nil {
		return nil
	}
	fmt.Fprintf(p.out, "calibrated by %s on %d held-out bags of %d folds: %s\n", k.method, l.Calibration.Bags, l.Folds, l.Calibration.Formula())
	before := "before"
	if !predict.Logits(setting) {
		before += ", score read as a logit"
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "held-out bags\tBrier score\tlog-loss\tECE\tECE of a perfect model")
	for _, row := range []struct {
		name string
		of   calibrate.Figures
	}{{before, l.Before}, {"after, cross-fitted", l.After}} {
		fmt.Fprintf(t, "%s\t%.3f\t%.3f\t%.3f\t%.3f\n", row.name, row.of.Brier, row.of.LogLoss, row.of.ECE, row.of.Chance)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(p.out, "ECE uses %d bins and %d bags; with few bags it is large by chance alone, see the last column\n",
		calibrate.DefaultBins, l.After.Bags)
	c := l.Calibration
	switch {
	case k.method == calibrate.IsotonicRegression && c.Bags < fewForIsotonic:
		p.note("note: isotonic regression needs about %d bags and with %d also learns their noise; platt and temperature need fewer",
			fewForIsotonic, c.Bags)
	case c.Inverted() && c.Classes > 2:
		p.note("note: bags with a higher score for a class belong to it less often, for at least one class; temperature uses the scores of all classes")
	case c.Inverted():
		p.note("note: held-out bags with higher scores are less often positive: the model orders new bags worse than chance")
	case c.AtBound():
		p.note("note: the temperature %.2g is at its bound: held-out scores separate the classes perfectly or carry no information; try platt", c.T)
	}
	return nil
}

// reliabilityFigure is the name of the figure of a model's calibration.
const reliabilityFigure = "reliability"

// drawReliability draws the reliability diagram of a model with a calibration.
func (p *program) drawReliability(dir, file string) error {
	l, err := predict.Calibration(dir)
	if err != nil {
		return err
	}
	if l == nil {
		return fmt.Errorf("%s: the model has no calibration; train one with: milbench train NAME|FILE --calibrate METHOD --out MODEL", dir)
	}
	if filepath.Dir(file) == filepath.Clean(dir) {
		return fmt.Errorf("--out %s: a model's folder holds nothing else; name a file outside of it", file)
	}
	curve := func(name string, f calibrate.Figures) plotting.ReliabilityCurve {
		c := plotting.ReliabilityCurve{Name: fmt.Sprintf("%s (ECE %.3f)", name, f.ECE)}
		for _, b := range f.Bins {
			c.Bins = append(c.Bins, plotting.ReliabilityBin(b))
		}
		return c
	}
	title := fmt.Sprintf("%d held-out bags, %s", l.After.Bags, l.Calibration.Method)
	share := "Share of positives"
	if l.Calibration.Classes > 2 {
		share = "Share of bags whose class is right"
	}
	figure, err := plotting.Reliability(title, share, []plotting.ReliabilityCurve{curve("before", l.Before), curve("after, cross-fitted", l.After)})
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := figure.Save(file); err != nil {
		return err
	}
	p.note("drawn: %s", filepath.Clean(file))
	return nil
}
