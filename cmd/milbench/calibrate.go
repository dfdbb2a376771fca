package main

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"synpool/milbench/calibrate"
	"synpool/milbench/charts"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
)

// calibrating is the flag that asks for a calibration, and what is learnt.
type calibrating struct {
	name   string
	method calibrate.Method // "" where none is asked for
	learnt *calibrate.Learnt
}

func (k *calibrating) addTo(f *pflag.FlagSet) {
	f.StringVar(&k.name, "calibrate", "", "`method` that learns probabilities from held-out bags: "+strings.Join(methodNames(), ", ")+" (default none)")
}

// parse reports an unknown method.
func (k *calibrating) parse(f *pflag.FlagSet) (err error) {
	if !f.Changed("calibrate") {
		return nil
	}
	if k.method, err = calibrate.ParseMethod(k.name); err != nil {
		return fmt.Errorf("--calibrate %w", err)
	}
	return nil
}

// check reports a set that cannot be divided for a calibration.
func (k *calibrating) check(set *mil.Set, seed uint64) error {
	if k.method == "" {
		return nil
	}
	if _, err := (calibrate.HeldOut{Seed: seed}).Folds(set); err != nil {
		return fmt.Errorf("--calibrate: %w; or leave the flag out", err)
	}
	return nil
}

// learn learns the calibration from held-out bags.
func (k *calibrating) learn(ctx context.Context, by learner.Learner, set *mil.Set, setting json.RawMessage, seed uint64,
	progress func(done, of int)) (err error) {
	if k.method == "" {
		return nil
	}
	h := calibrate.HeldOut{Method: k.method, Learner: by, Setting: setting, Seed: seed, Progress: progress}
	if k.learnt, err = h.Learn(ctx, set); err != nil {
		return fmt.Errorf("--calibrate: %w", err)
	}
	return nil
}

// writeCalibration prints how good the probabilities of held-out bags are, before and after.
func (p *program) writeCalibration(k *calibrating, setting json.RawMessage) error {
	l := k.learnt
	if l == nil {
		return nil
	}
	fmt.Fprintf(p.out, "calibrated by %s on %d held-out bags of %d folds: %s\n", k.method, l.Calibration.Bags, l.Folds, l.Calibration.Formula())
	before := "before"
	if !learners.Logits(setting) {
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
	if warning := l.Calibration.Warning(); warning != "" {
		p.note("note: %s", warning)
	}
	return nil
}

// reliabilityFigure is the name of the figure of a model's calibration.
const reliabilityFigure = "reliability"

// drawReliability draws the reliability diagram of a model with a calibration.
func (p *program) drawReliability(dir, file string) error {
	card, _, err := modeldir.Inspect(dir)
	if err != nil {
		return err
	}
	l, err := predict.Calibration(dir, &card)
	if err != nil {
		return err
	}
	if l == nil {
		return fmt.Errorf("%s: the model has no calibration; train one with: milbench train NAME|FILE --calibrate METHOD --out MODEL", dir)
	}
	if filepath.Dir(file) == filepath.Clean(dir) {
		return fmt.Errorf("--out %s: a model's folder holds nothing else; name a file outside of it", file)
	}
	figure, err := charts.Reliability(l)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := figure.Save(file); err != nil {
		return err
	}
	p.note("drawn: %s", filepath.Clean(file))
	return nil
}
