package evaluate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// level is the level of all confidence intervals.
const level = 0.95

// draws is the number of draws for a bootstrap interval. It makes the bounds accurate to about a twentieth of the
// standard error.
const draws = 2000

// Scored has labelled bags and a model's output for them.
type Scored struct {
	Kind    mil.TargetKind
	Classes int // number of classes, for a target with classes
	Bags    []results.ScoredBag
	Units   [][]int // see [mil.Units]; nil means that every bag is a unit

	// Logits has, for two classes, log(p/(1−p)) of the probability p of the positive class: the scores themselves, or
	// calibrated ones. They may be infinite. Nil means that there are no probabilities.
	Logits []float64
}

// Figure is a figure of merit for a model on labelled bags.
type Figure struct {
	Name   string   `json:"name"`
	Value  *float64 `json:"value"` // null if undefined
	Low    *float64 `json:"low"`   // bounds of the interval at level; null if there is none
	High   *float64 `json:"high"`
	Method string   `json:"method,omitempty"` // method of the interval
	Why    string   `json:"why,omitempty"`    // why there is no value or no interval
}

// Figures returns the figures for the kind of target:
//
//   - binary: AUC with DeLong's interval, and with a bootstrap interval if bags come in groups. Accuracy, balanced
//     accuracy, sensitivity and specificity at probability 1/2, or at score 0 without probabilities. Log-loss and Brier
//     score of probabilities.
//   - classes: macro AUC, accuracy, balanced accuracy, quadratic kappa.
//   - real: R², MAE, RMSE (both in the unit of the target), Spearman's ρ.
//   - survival: concordance; for curves, [stats.IntegratedBrierFollowUp].
//
// If bags come in groups, the first figure is there for groups, too, by the mean of their scores ([results.ByGroup]).
//
// All other intervals are percentiles of the bootstrap over units ([stats.Bootstrap]) with the given seed, except
// those of shares of bags if every bag is a unit, which are from Clopper and Pearson. If a figure is undefined on
// these bags, for example with only one class, it says why.
func Figures(s Scored, seed uint64) ([]Figure, error) {
	if len(s.Bags) == 0 {
		return nil, errors.New("no bags")
	}
	if s.Units == nil {
		s.Units = single(len(s.Bags))
	}
	if s.Logits != nil && len(s.Logits) != len(s.Bags) {
		return nil, fmt.Errorf("%d bags and logits of %d", len(s.Bags), len(s.Logits))
	}
	width := 1
	if s.Kind == mil.ClassTarget {
		width = s.Classes
	}
	for i, b := range s.Bags {
		if len(b.Scores) != width {
			return nil, fmt.Errorf("bag %d has %d scores, not %d", i, len(b.Scores), width)
		}
	}
	var list []Figure
	for _, f := range figures[s.Kind] {
		if f.curves && s.Bags[0].Survival == nil {
			continue
		}
		some, err := s.measured(f, seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		list = append(list, some...)
	}
	if !s.grouped() {
		return list, nil
	}
	name := "group " + list[0].Name
	joined := results.ByGroup(s.Kind, s.Bags, s.Units, false)
	if joined == nil {
		return append(list, Figure{Name: name, Why: "bags of a group differ in their target"}), nil
	}
	groups := Scored{Kind: s.Kind, Classes: s.Classes, Bags: joined, Units: single(len(joined))}
	some, err := groups.measured(figures[s.Kind][0], seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range some {
		some[i].Name = name
	}
	return append(list, some...), nil
}

// single returns units of one bag each.
func single(bags int) [][]int {
	units := make([][]int, bags)
	for i := range units {
		units[i] = []int{i}
	}
	return units
}

// measured returns a figure with its intervals, or why it has none.
func (s Scored) measured(f figure, seed uint64) (list []Figure, err error) {
	one := Figure{Name: f.name}
	if f.probable && s.Logits == nil {
		one.Why = "there are no probabilities: the scores are no logits"
		return []Figure{one}, nil
	}
	of, bags := f.of, s.Bags
	if of == nil {
		of = results.MeasureOf(s.Kind, f.name)
	}
	if f.decided {
		bags = s.decisions()
	}
	value, err := of(bags, s.Classes)
	switch {
	case err != nil && !stats.Undefined(err):
		return nil, err
	case err != nil:
		one.Why = err.Error()
		return []Figure{one}, nil
	case math.IsInf(value, 0) && s.Kind == mil.BinaryTarget:
		one.Why = "infinite: the label of a bag has probability 0"
		return []Figure{one}, nil
	case math.IsInf(value, 0):
		one.Why = stats.ErrRange.Error()
		return []Figure{one}, nil
	}
	one.Value = &value
	var own *Figure
	if f.own != nil {
		if own, err = f.own(s, value); err != nil {
			return nil, err
		}
	}
	if own != nil {
		own.Name, own.Value = f.name, &value
		list = append(list, *own)
	}
	if own == nil || f.both && s.grouped() {
		var drawn []results.ScoredBag
		if err := one.bootstrap(s, seed, func(items []int) (float64, error) {
			drawn = drawn[:0]
			for _, i := range items {
				drawn = append(drawn, bags[i])
			}
			return of(drawn, s.Classes)
		}); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Confusion returns the confusion matrix for a target with classes ([stats.Confusion]). For two classes it uses the
// threshold of the accuracy.
func Confusion(s Scored) ([][]int, error) {
	var labels []int
	var rows [][]float64
	for _, b := range s.decisions() {
		row := b.Scores
		if s.Kind == mil.BinaryTarget {
			row = []float64{0, b.Scores[0]}
		}
		labels, rows = append(labels, b.Label), append(rows, row)
	}
	predicted, err := stats.PredictedClasses(rows)
	if err != nil {
		return nil, err
	}
	return stats.Confusion(labels, predicted, max(s.Classes, 2))
}

// grouped reports whether any unit has several bags.
func (s Scored) grouped() bool { return s.Units != nil && len(s.Units) < len(s.Bags) }

// decisions returns the bags with their logits, if there are any, as scores. A bag counts as positive above 0.
func (s Scored) decisions() []results.ScoredBag {
	if s.Logits == nil {
		return s.Bags
	}
	bags := slices.Clone(s.Bags)
	for i, z := range s.Logits {
		bags[i].Scores = []float64{z}
	}
	return bags
}

// figure describes how to compute a figure.
type figure struct {
	name string
	of   results.Measure // nil for [results.MeasureOf] of the name

	decided  bool // of logits, if there are any
	probable bool // of probabilities alone
	curves   bool // of survival curves

	own  func(s Scored, value float64) (*Figure, error) // an interval other than the bootstrap; nil for none
	both bool                                           // add a bootstrap interval if units have several bags
}

// figures lists the figures for each kind of target, the main one first.
var figures = map[mil.TargetKind][]figure{
	mil.BinaryTarget: {
		{name: "AUC", own: deLong, both: true},
		{name: "accuracy", decided: true, own: clopperPearson(every)},
		{name: "balanced accuracy", decided: true},
		{name: "sensitivity", of: results.OfLabels(stats.Sensitivity), decided: true, own: clopperPearson(1)},
		{name: "specificity", of: results.OfLabels(stats.Specificity), decided: true, own: clopperPearson(0)},
		{name: "log-loss", decided: true, probable: true},
		{name: "Brier score", of: results.OfLabels(brier), decided: true, probable: true},
	},
	mil.ClassTarget:    {{name: "macro AUC"}, {name: "accuracy", own: clopperPearson(every)}, {name: "balanced accuracy"}, {name: "quadratic kappa"}},
	mil.RealTarget:     {{name: "R²"}, {name: "MAE"}, {name: "RMSE"}, {name: "Spearman's ρ"}},
	mil.SurvivalTarget: {{name: "concordance"}, {name: "integrated Brier score", curves: true}},
}

// brier returns the Brier score of logits.
func brier(labels []int, logits []float64) (float64, error) {
	p := make([]float64, len(logits))
	for i, z := range logits {
		p[i] = 1 / (1 + math.Exp(-z))
	}
	return stats.BrierScore(labels, p)
}

// deLong returns the interval of an AUC from its standard error, cut at 0 and 1.
func deLong(s Scored, _ float64) (*Figure, error) {
	auc, se, err := stats.DeLong(results.LabelsScores(s.Bags))
	switch {
	case stats.Undefined(err):
		return &Figure{Why: err.Error()}, nil
	case err != nil:
		return nil, err
	case se == 0:
		return &Figure{Why: "DeLong's error is 0 where all scores of one class are above all of the other"}, nil
	}
	half := distuv.UnitNormal.Quantile((1+level)/2) * se
	low, high := max(0, auc-half), min(1, auc+half)
	return &Figure{Low: &low, High: &high, Method: "DeLong"}, nil
}

// every stands for all classes.
const every = -1

// clopperPearson returns the interval of a share of the bags of a class, with their number, or of all bags. It is nil
// unless every bag is a unit.
func clopperPearson(class int) func(s Scored, share float64) (*Figure, error) {
	return func(s Scored, share float64) (*Figure, error) {
		if s.grouped() {
			return nil, nil
		}
		n := 0
		for _, b := range s.Bags {
			if class == every || b.Label == class {
				n++
			}
		}
		right, method := math.Round(share*float64(n)), "Clopper-Pearson"
		if class != every {
			method += fmt.Sprintf(", %.0f of %d", right, n)
		}
		low, high, err := stats.ShareInterval(right, n, level)
		return &Figure{Low: &low, High: &high, Method: method}, err
	}
}

// bootstrap sets the bootstrap interval of a figure.
func (f *Figure) bootstrap(s Scored, seed uint64, of func([]int) (float64, error)) error {
	low, high, left, err := stats.Bootstrap(s.Units, draws, level, seed, of)
	switch {
	case stats.Undefined(err):
		f.Why = err.Error()
		return nil
	case err != nil:
		return err
	case low == high:
		f.Why = "the figure is the same in every draw of the bootstrap"
		return nil
	case math.IsInf(low, 0) || math.IsInf(high, 0):
		f.Why = "the figure is infinite in draws of the bootstrap"
		return nil
	}
	what := "bags"
	if s.grouped() {
		what = "groups"
	}
	f.Low, f.High, f.Method = &low, &high, fmt.Sprintf("bootstrap of %d %s", len(s.Units), what)
	if left > 0 {
		f.Method += fmt.Sprintf(", %d of %d draws left out", left, draws)
	}
	return nil
}
