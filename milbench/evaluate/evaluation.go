package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"synpool/milbench/calibrate"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// Evaluation is the outcome of a model on new labelled bags.
type Evaluation struct {
	Model     string            `json:"model"`
	Trained   string            `json:"trained_on"`
	Set       string            `json:"set"`
	Checksum  string            `json:"checksum"`
	Target    mil.TargetKind    `json:"target"`
	Bags      int               `json:"bags"`
	Whole     int               `json:"whole"` // bags of the file; more than bags if only the test part of its split is judged
	Instances int               `json:"instances"`
	Classes   []mil.ClassNumber `json:"classes,omitempty"`
	Groups    int               `json:"groups,omitempty"`
	Figures   []Figure          `json:"figures"`

	Localised *Instances `json:"instance_figures,omitempty"` // nil if labels of instances are unknown or the same in each bag

	// Calibration is the method behind the probabilities of accuracy, log-loss and Brier score, or none. It is empty if there are no probabilities.
	Calibration string `json:"calibration,omitempty"`

	Confusion [][]int  `json:"confusion,omitempty"` // a row for each class, a column for each called class
	Operating []Point  `json:"operating,omitempty"`
	Threshold string   `json:"no_operating,omitempty"` // why there are none, and how to get them
	Shift     *Shift   `json:"shift,omitempty"`
	Known     []string `json:"known_bags,omitempty"` // that are among the training bags
	Warnings  []string `json:"warnings,omitempty"`
}

// New judges a model on bags whose classes are those of the model ([Relabel]) and whose missing values are filled. Probabilities,
// sets and intervals are those of the calibration, nil for none. seed is that of the bootstrap.
func New(ctx context.Context, model learners.Model, calibration *calibrate.Learnt, set *mil.Set, seed uint64) (*Evaluation, error) {
	card := model.Card()
	predictions, localised, err := predicted(ctx, model, set, seed)
	if err != nil {
		return nil, err
	}
	fresh, err := mil.ProfileOf(set)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Trained: card.Set, Set: set.Name, Checksum: set.Checksum, Target: set.Kind, Bags: fresh.Bags, Instances: fresh.Instances,
		Classes: fresh.Classes, Groups: fresh.Groups, Localised: localised}
	s := Scored{Kind: set.Kind, Classes: set.NumClasses(), Units: mil.Units(set.Bags)}
	for i, b := range set.Bags {
		s.Bags = append(s.Bags, results.ScoredBag{ID: b.ID, Target: b.Target, Scores: predictions[i].Scores, Survival: predictions[i].Survival})
	}
	covered, err := s.conformal(calibration, set.ClassName, seed)
	if err != nil {
		return nil, err
	}
	if err := e.calibrated(&s, model.About().Setting, calibration); err != nil {
		return nil, err
	}
	if e.Figures, err = Figures(s, seed); err != nil {
		return nil, err
	}
	e.Figures = append(e.Figures, covered...)
	if s.Classes > 0 {
		if e.Confusion, err = Confusion(s); err != nil {
			return nil, err
		}
	}
	if card.Leaked {
		e.Warn("the model was trained with a column that leaks the labels; its figures mean nothing for bags without that column")
	}
	facts := card.Facts
	if facts == nil {
		e.Warn("the model's card has no profile of its training data, so the new bags cannot be compared with it; train the model again")
		facts = &modeldir.Facts{}
	} else {
		if unit := otherUnit(facts.Data, fresh); unit != "" {
			e.Warn("%s", unit)
		}
		if err := e.compare(facts.Data, fresh, set); err != nil {
			return nil, err
		}
	}
	switch {
	case set.Kind != mil.BinaryTarget:
	case len(facts.Operating) > 0:
		if e.Operating, err = operate(facts.Operating, s); err != nil {
			return nil, err
		}
	default:
		e.Threshold = "no operating points: the card has no thresholds; train with --results FOLDER, a folder of milbench run on the training data, " +
			"to choose them on held-out bags"
	}
	return e, nil
}

// calibrated adds the probabilities of milbench predict to scores of classes: as logits for two classes, as logarithms for more.
func (e *Evaluation) calibrated(s *Scored, setting json.RawMessage, l *calibrate.Learnt) error {
	if l != nil && l.Calibration == nil {
		l = nil
	}
	switch {
	case s.Classes == 0 || l == nil && !learners.Logits(setting):
		return nil
	case l == nil:
		e.Calibration = "none"
	default:
		e.Calibration = string(l.Calibration.Method)
	}
	for i, b := range s.Bags {
		if l == nil {
			if s.Kind == mil.BinaryTarget {
				s.Logits = append(s.Logits, b.Scores[0])
			}
			continue
		}
		p, err := l.Calibration.Probabilities(b.Scores)
		if err != nil {
			return &modeldir.BagError{Bag: i, Err: err}
		}
		if s.Kind == mil.BinaryTarget {
			s.Logits = append(s.Logits, math.Log(p[0])-math.Log1p(-p[0]))
			continue
		}
		scores := make([]float64, len(p))
		for k := range p {
			scores[k] = math.Log(p[k])
		}
		s.Bags[i].Scores = scores
	}
	return nil
}

// compare compares new bags with those of training.
func (e *Evaluation) compare(train, fresh mil.Profile, set *mil.Set) error {
	shift, err := compare(train, fresh, set)
	if err != nil {
		return err
	}
	e.Shift = &shift
	if e.Known = known(train, fresh, set); len(e.Known) > 0 {
		e.Warn("%s among the training bags (%s): figures on them say nothing about new bags; leave them out", are(len(e.Known), "bag"), short(e.Known))
	}
	if unlike := shift.Warning(); unlike != "" {
		e.Warn("%s", unlike)
	}
	return nil
}

// Warn adds a warning.
func (e *Evaluation) Warn(format string, args ...any) {
	e.Warnings = append(e.Warnings, fmt.Sprintf(format, args...))
}

// Write writes the evaluation as text.
func (e *Evaluation) Write(w io.Writer) error {
	groups := ""
	if e.Groups > 0 {
		groups = fmt.Sprintf(", %d groups", e.Groups)
	}
	classes := ""
	if len(e.Classes) > 0 {
		classes = " (" + mil.ClassesText(e.Classes) + ")"
		if e.Target == mil.BinaryTarget && e.Classes[1].Name != "1" {
			classes = " (" + mil.ClassesText(e.Classes) + "; positive is " + e.Classes[1].Name + ")"
		}
	}
	part := ""
	if e.Bags < e.Whole {
		part = fmt.Sprintf(" of %d", e.Whole)
	}
	fmt.Fprintf(w, "%s: %d%s bags%s%s, %d instances, scored by %s, which was trained on %s\n\n",
		e.Set, e.Bags, part, classes, groups, e.Instances, e.Model, e.Trained)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeFigures(t, e.Figures)
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
	if e.Localised != nil {
		e.Localised.write(t)
		t.Flush()
	}
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

// writeFigures writes a table of figures.
func writeFigures(w io.Writer, figures []Figure) {
	fmt.Fprintf(w, "figure\tvalue\t95 %% interval\tfrom\n")
	for _, f := range figures {
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, value, interval, from)
	}
}

func (e *Evaluation) writeConfusion(t *tabwriter.Writer) {
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

func (e *Evaluation) writeOperating(t *tabwriter.Writer) {
	if e.Threshold != "" {
		fmt.Fprintf(t, "\n%s\n", e.Threshold)
	}
	if len(e.Operating) == 0 {
		return
	}
	fmt.Fprintf(t, "\nchosen for specificity\tthreshold\tsensitivity\tspecificity\n")
	share := func(s Share) string {
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
