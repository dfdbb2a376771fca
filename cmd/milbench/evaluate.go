package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/evaluate"
	"synpool/milbench/learner"
	"synpool/milbench/learner/modeldir"
	"synpool/milbench/predict"
)

// evaluate is the subcommand that judges a trained model on labelled new bags.
func (p *program) evaluate() *cobra.Command {
	var (
		columns columnFlags
		seed    uint64
		asJSON  bool
	)
	c := &cobra.Command{
		Use:   "evaluate MODEL FILE|NAME",
		Short: "Judge a trained model on new bags whose labels you know",
		Long: `The figures, with 95 % intervals, depend on the kind of target:
  two classes    AUC; accuracy, balanced accuracy, sensitivity and specificity; log-loss and Brier
                 score of probabilities
  more classes   macro AUC, accuracies and kappa
  numbers        R², MAE, RMSE and Spearman's ρ
  survival       concordance, and the integrated Brier score of curves
The interval of the AUC is DeLong's. Most others are bootstrap intervals. The bootstrap draws groups
(patients, say) if the file names them, else bags. If groups have several bags, the first figure is
there for groups, too, by the mean of their scores. A figure that these bags do not have, such as
the AUC of one class, says why. If the bags have an official split, the test part is judged.

Operating points:
The thresholds were chosen by milbench train --results on held-out bags and are only applied here.
The new bags do not change them.

Warnings:
One warning names features that are unlike those of training. Either their mean differs by more than
chance between bags, and by at least a fifth of a standard deviation; or more bags than by chance
have 1 % of their values outside the range of training. A fresh sample of the same source gets this
warning in about 1 of 100 cases. Another warning names bags that are among the training bags.

Files:
Labels must be spelled as those of the model. Features are matched as in milbench predict. A FILE is
a table, a folder of arrays or a MATLAB file: milbench help files.`,
		Example: `  milbench evaluate model new.csv
  milbench evaluate model slides --labels slides.csv --group case_id --json`,
		Args: arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			nets := p.networks(true, 0, 0, "")
			defer nets.End()
			model, err := learner.Trainer{Networks: nets}.Load(args[0])
			if err != nil {
				return err
			}
			card := model.Card()
			o := &columns.options
			o.Judged, o.Numbers, o.Classes = true, card.Target == milbench.RealTarget, card.Classes
			if card.Target == milbench.BinaryTarget && o.Classes == nil {
				o.Classes = []string{"0", "1"}
			}
			if o.Coordinates != nil && card.Features != nil {
				return errors.New("--coordinates: the features are taken by the names that the model knows; leave the flag out")
			}
			whole, err := columns.openNew(p, card.Features, card.Centre, args[1])
			if err != nil {
				return err
			}
			set, err := whole.Part(milbench.TestPart)
			if err != nil {
				return err
			}
			if err := predict.Fits(model.About(), args[0], set, args[1]); err != nil {
				return err
			}
			if set, err = evaluate.Relabel(set, card); err != nil {
				return err
			}
			if set, err = set.Impute(model.About().Missing); err != nil {
				return err
			}
			calibration, err := predict.Calibration(args[0], card)
			if err != nil {
				return err
			}
			report, err := evaluated(c.Context(), model, card, calibration, set, seed)
			if s := stoppedBy(c.Context()); s != nil && err != nil {
				return s
			}
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], predict.WithID(set, err))
			}
			report.Model, report.Whole = args[0], len(whole.Bags)
			if official := func(j modeldir.Judged) bool { return j.Folds == 1 }; len(report.Operating) > 0 && set != whole && slices.ContainsFunc(card.Facts.Judged, official) {
				report.warn("the thresholds were chosen on the test part of a split: if it is this one, sensitivity and specificity are too good")
			}
			if asJSON {
				return p.writeJSON(report)
			}
			return report.write(p.out)
		},
	}
	f := c.Flags()
	columns.addLabels(f)
	columns.column.addTo(f)
	f.Uint64Var(&seed, "seed", 1, "seed of the bootstrap")
	addJSON(c, &asJSON)
	return c
}

// evaluation is the outcome of a model on new bags, as it is printed.
type evaluation struct {
	Model     string                 `json:"model"`
	Trained   string                 `json:"trained_on"`
	Set       string                 `json:"set"`
	Checksum  string                 `json:"checksum"`
	Target    milbench.TargetKind    `json:"target"`
	Bags      int                    `json:"bags"`
	Whole     int                    `json:"whole"` // bags of the file; more than bags if only the test part of its split is judged
	Instances int                    `json:"instances"`
	Classes   []milbench.ClassNumber `json:"classes,omitempty"`
	Groups    int                    `json:"groups,omitempty"`
	Figures   []evaluate.Figure      `json:"figures"`

	// Calibration is the method behind the probabilities of accuracy, log-loss and Brier score, or none. It is empty if there are no probabilities.
	Calibration string `json:"calibration,omitempty"`

	Confusion [][]int          `json:"confusion,omitempty"` // a row for each class, a column for each called class
	Operating []evaluate.Point `json:"operating,omitempty"`
	Threshold string           `json:"no_operating,omitempty"` // why there are none, and how to get them
	Shift     *evaluate.Shift  `json:"shift,omitempty"`
	Known     []string         `json:"known_bags,omitempty"` // that are among the training bags
	Warnings  []string         `json:"warnings,omitempty"`
}

// evaluated judges a model on bags whose classes are those of the model and whose missing values are filled.
func evaluated(ctx context.Context, model learner.Model, card *modeldir.Card, calibration *calibrate.Learnt, set *milbench.Set,
	seed uint64) (*evaluation, error) {
	predictions, err := model.Predict(ctx, set.Instances(), false)
	if err != nil {
		return nil, err
	}
	fresh, err := milbench.ProfileOf(set)
	if err != nil {
		return nil, err
	}
	e := &evaluation{Trained: card.Set, Set: set.Name, Checksum: set.Checksum, Target: set.Kind, Bags: fresh.Bags, Instances: fresh.Instances,
		Classes: fresh.Classes, Groups: fresh.Groups}
	s := evaluate.Scored{Kind: set.Kind, Classes: set.NumClasses(), Units: milbench.Units(set.Bags)}
	for i, b := range set.Bags {
		s.Targets, s.Scores = append(s.Targets, b.Target), append(s.Scores, predictions[i].Scores)
		if curve := predictions[i].Survival; curve != nil {
			s.Survival = append(s.Survival, curve)
		}
	}
	if err := e.calibrated(&s, model.About().Setting, calibration); err != nil {
		return nil, err
	}
	if e.Figures, err = evaluate.Figures(s, seed); err != nil {
		return nil, err
	}
	if s.Classes > 0 {
		if e.Confusion, err = evaluate.Confusion(s); err != nil {
			return nil, err
		}
	}
	if card.Leaked {
		e.warn("the model was trained with a column that leaks the labels; its figures mean nothing for bags without that column")
	}
	facts := card.Facts
	if facts == nil {
		e.warn("the model's card has no profile of its training data, so the new bags cannot be compared with it; train the model again")
		facts = &modeldir.Facts{}
	} else {
		if unit := evaluate.OtherUnit(facts.Data, fresh); unit != "" {
			e.warn("%s", unit)
		}
		if err := e.compare(facts.Data, fresh, set); err != nil {
			return nil, err
		}
	}
	switch {
	case set.Kind != milbench.BinaryTarget:
	case len(facts.Operating) > 0:
		if e.Operating, err = evaluate.Operate(facts.Operating, s); err != nil {
			return nil, err
		}
	default:
		e.Threshold = "no operating points: the card has no thresholds; train with --results FOLDER, a folder of milbench run on the training data, " +
			"to choose them on held-out bags"
	}
	return e, nil
}

// calibrated adds the probabilities of milbench predict to scores of classes: as logits for two classes, as logarithms for more.
func (e *evaluation) calibrated(s *evaluate.Scored, setting json.RawMessage, l *calibrate.Learnt) error {
	switch {
	case s.Classes == 0 || l == nil && !learner.Logits(setting):
		return nil
	case l == nil:
		e.Calibration = "none"
	default:
		e.Calibration = string(l.Calibration.Method)
	}
	for i, scores := range s.Scores {
		if l == nil {
			if s.Kind == milbench.BinaryTarget {
				s.Logits = append(s.Logits, scores[0])
			}
			continue
		}
		p, err := l.Calibration.Probabilities(scores)
		if err != nil {
			return &modeldir.BagError{Bag: i, Err: err}
		}
		if s.Kind == milbench.BinaryTarget {
			s.Logits = append(s.Logits, math.Log(p[0])-math.Log1p(-p[0]))
			continue
		}
		s.Scores[i] = make([]float64, len(p))
		for k := range p {
			s.Scores[i][k] = math.Log(p[k])
		}
	}
	return nil
}

// compare compares new bags with those of training.
func (e *evaluation) compare(train, fresh milbench.Profile, set *milbench.Set) error {
	shift, err := evaluate.Compare(train, fresh, set)
	if err != nil {
		return err
	}
	e.Shift = &shift
	if e.Known = evaluate.Known(train, fresh, set); len(e.Known) > 0 {
		e.warn("%s among the training bags (%s): figures on them say nothing about new bags; leave them out", evaluate.Are(len(e.Known), "bag"), evaluate.Short(e.Known))
	}
	if unlike := shift.Warning(); unlike != "" {
		e.warn("%s", unlike)
	}
	return nil
}

func (e *evaluation) warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

// write writes an evaluation as text.
func (e *evaluation) write(w io.Writer) error {
	groups := ""
	if e.Groups > 0 {
		groups = fmt.Sprintf(", %d groups", e.Groups)
	}
	classes := ""
	if len(e.Classes) > 0 {
		classes = " (" + classesOf(e.Classes) + ")"
		if e.Target == milbench.BinaryTarget && e.Classes[1].Name != "1" {
			classes = " (" + classesOf(e.Classes) + "; positive is " + e.Classes[1].Name + ")"
		}
	}
	part := ""
	if e.Bags < e.Whole {
		part = fmt.Sprintf(" of %d", e.Whole)
	}
	fmt.Fprintf(w, "%s: %d%s bags%s%s, %d instances, scored by %s, which was trained on %s\n\n",
		e.Set, e.Bags, part, classes, groups, e.Instances, e.Model, e.Trained)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "figure\tvalue\t95 %% interval\tfrom\n")
	for _, f := range e.Figures {
		value, interval, from := "none", "none", f.Method
		if f.Value != nil {
			value = fmt.Sprintf("%.3f", *f.Value)
		}
		if f.Low != nil && f.High != nil {
			interval = fmt.Sprintf("%.3f to %.3f", *f.Low, *f.High)
		}
		if f.Why != "" {
			from = f.Why
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Name, value, interval, from)
	}
	switch e.Calibration {
	case "":
	case "none":
		fmt.Fprintf(t, "probabilities are not calibrated: milbench train --calibrate learns them from held-out bags\n")
	default:
		fmt.Fprintf(t, "probabilities are calibrated by %s\n", e.Calibration)
	}
	t.Flush()
	e.writeConfusion(t)
	e.writeOperating(t)
	if e.Shift != nil && len(e.Shift.Unlike()) == 0 {
		fmt.Fprintf(t, "\nno feature is unlike those of training; %.2g %% of all values are outside the ranges of training\n", 100*e.Shift.Outside)
	}
	if len(e.Warnings) > 0 {
		fmt.Fprintln(t)
	}
	for _, text := range e.Warnings {
		fmt.Fprintf(t, "warning: %s\n", text)
	}
	return t.Flush()
}

func (e *evaluation) writeConfusion(t *tabwriter.Writer) {
	if e.Confusion == nil {
		return
	}
	fmt.Fprintf(t, "\nlabel")
	for _, c := range e.Classes {
		fmt.Fprintf(t, "\tcalled %s", c.Name)
	}
	fmt.Fprintln(t)
	for i, row := range e.Confusion {
		fmt.Fprint(t, e.Classes[i].Name)
		for _, n := range row {
			fmt.Fprintf(t, "\t%d", n)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

func (e *evaluation) writeOperating(t *tabwriter.Writer) {
	if e.Threshold != "" {
		fmt.Fprintf(t, "\n%s\n", e.Threshold)
	}
	if len(e.Operating) == 0 {
		return
	}
	fmt.Fprintf(t, "\nchosen for specificity\tthreshold\tsensitivity\tspecificity\n")
	share := func(s evaluate.Share) string {
		if s.Value == nil {
			return "no bags"
		}
		return fmt.Sprintf("%.3f (%d of %d; %.3f to %.3f)", *s.Value, s.Right, s.Of, *s.Low, *s.High)
	}
	for _, o := range e.Operating {
		fmt.Fprintf(t, "%g\t%.4g\t%s\t%s\n", o.Wanted, o.Threshold, share(o.Sensitivity), share(o.Specificity))
	}
	method := e.Operating[0].Sensitivity.Method
	if method == "" {
		method = e.Operating[0].Specificity.Method
	}
	fmt.Fprintf(t, "thresholds: chosen on held-out bags of training, not here; intervals: %s\n", method)
	t.Flush()
}
