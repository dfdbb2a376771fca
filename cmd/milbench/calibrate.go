package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"synpool/internal/spelling"
	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/charts"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/predict"
)

// The values of --calibrate for sets and intervals, and for p-values of instances.
const (
	conformal = "conformal"
	instances = "instances"
)

// calibrateFlags are the flags of train that say what is learnt from held-out bags.
type calibrateFlags struct {
	what  string
	level float64
	flags *pflag.FlagSet
}

func (c *calibrateFlags) addTo(f *pflag.FlagSet) {
	c.flags = f
	f.StringVar(&c.what, "calibrate", "", "`methods` that learn from held-out bags: "+strings.Join(methodNames(), ", ")+
		"; by comma, one of the first three with the others (default none)")
	f.Float64Var(&c.level, "level", calibrate.DefaultLevel, "share of new bags whose target is in the sets or intervals of --calibrate conformal")
}

// chosen sets what is learnt from held-out bags.
func (c *calibrateFlags) chosen(t *milbench.Training) error {
	if c.flags.Changed("calibrate") {
		for name := range strings.SplitSeq(c.what, ",") {
			switch {
			case name == instances:
				t.Instances = true
			case name == conformal && !(c.level > 0 && c.level < 1):
				return fmt.Errorf("--level %v: give a level above 0 and below 1", c.level)
			case name == conformal:
				t.Level = c.level
			case !slices.Contains(methodNames(), name):
				return fmt.Errorf("--calibrate %q: no such calibration; %s", name, spelling.Hint(name, methodNames()))
			case t.Calibrate != "":
				return fmt.Errorf("--calibrate %s: both %s and %s give probabilities; choose one", c.what, t.Calibrate, name)
			default:
				t.Calibrate = calibrate.Method(name)
			}
		}
	}
	if t.Level == 0 && c.flags.Changed("level") {
		return fmt.Errorf("--level: for sets and intervals; add --calibrate %s", conformal)
	}
	return nil
}

// writeCalibration prints how good the probabilities of held-out bags are, before and after, and what the sets or intervals are.
func (p *program) writeCalibration(model *milbench.Model) error {
	l, err := model.Calibration()
	if l == nil {
		return err
	}
	if l.Calibration != nil {
		if err := p.writeProbabilities(model, l); err != nil {
			return err
		}
	}
	if l.Instances != nil {
		fmt.Fprintf(p.out, "instances: %s\n", l.InstancesText())
	}
	c := l.Conformal
	if c == nil {
		return nil
	}
	if c.Classes == 0 {
		fmt.Fprintf(p.out, "conformal %v\n", c)
		return nil
	}
	fmt.Fprintf(p.out, "conformal %v of %d folds: cross-fitted, a set has %.2f of %d classes on average\n", c, l.Folds, l.Size, c.Classes)
	for _, k := range c.Always() {
		p.remark(fmt.Sprintf("class %s is in every set: it has %d bags or groups, and at level %g it needs %d to be left out of any",
			model.Bags.ClassName(k), c.Held[k].Units, c.Level, c.Least()))
	}
	return nil
}

// writeProbabilities prints how good the probabilities of held-out bags are, before and after.
func (p *program) writeProbabilities(model *milbench.Model, l *calibrate.Learnt) error {
	fmt.Fprintf(p.out, "calibrated by %s on %d held-out bags of %d folds: %s\n", l.Calibration.Method, l.Calibration.Bags, l.Folds, l.Calibration.Formula())
	before := "before"
	if !model.About().Logits {
		before += ", score read as a logit"
	}
	err := p.print(false, nil, func(w io.Writer) {
		fmt.Fprintln(w, "held-out bags\tBrier score\tlog-loss\tECE\tECE of a perfect model")
		row := func(name string, f calibrate.Figures) {
			fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f\t%.3f\n", name, f.Brier, f.LogLoss, f.ECE, f.Chance)
		}
		row(before, l.Before)
		row("after, cross-fitted", l.After)
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "ECE uses %d bins and %d bags; with few bags it is large by chance alone, see the last column\n",
		calibrate.DefaultBins, l.After.Bags)
	if warning := l.Calibration.Warning(); warning != "" {
		p.remark(warning)
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
	if l == nil || l.Calibration == nil {
		return fmt.Errorf("%s: the model has no calibration of probabilities; train one with: milbench train NAME|FILE --calibrate METHOD --out MODEL", dir)
	}
	if filepath.Dir(file) == filepath.Clean(dir) {
		return fmt.Errorf("--out %s: a model's folder holds nothing else; name a file outside of it", file)
	}
	figure, err := charts.Reliability(l)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	return p.save(figure, file)
}
