package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/charts"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/predict"
)

// method returns the method that the flag --calibrate names, "" for none.
func method(f *pflag.FlagSet) (calibrate.Method, error) {
	if !f.Changed("calibrate") {
		return "", nil
	}
	method, err := calibrate.ParseMethod(f.Lookup("calibrate").Value.String())
	if err != nil {
		return "", fmt.Errorf("--calibrate %w", err)
	}
	return method, nil
}

// writeCalibration prints how good the probabilities of held-out bags are, before and after.
func (p *program) writeCalibration(model *milbench.Model) error {
	l, err := model.Calibration()
	if l == nil {
		return err
	}
	fmt.Fprintf(p.out, "calibrated by %s on %d held-out bags of %d folds: %s\n", l.Calibration.Method, l.Calibration.Bags, l.Folds, l.Calibration.Formula())
	before := "before"
	if !model.About().Logits {
		before += ", score read as a logit"
	}
	err = p.print(false, nil, func(w io.Writer) {
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
	return p.save(figure, file)
}
