package evaluate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// Level is the level of all confidence intervals.
const Level = 0.95

// Draws is the number of draws for a bootstrap interval. It makes the bounds accurate to about a twentieth of the
// standard error.
const Draws = 2000

// Scored has labelled bags and a model's output for them.
type Scored struct {
	Kind     mil.TargetKind
	Classes  int // number of classes, for a target with classes
	Targets  []mil.Target
	Scores   [][]float64     // for each bag, see [mil.Prediction]
	Survival []*mil.Survival // for each bag, if the model predicts curves; otherwise nil
	Units    [][]int         // see [mil.Units]; nil means that every bag is a unit

	// Logits has, for two classes, log(p/(1−p)) of the probability p of the positive class: the scores themselves, or
	// calibrated ones. They may be infinite. Nil means that there are no probabilities.
	Logits []float64
}

// Figure is a figure of merit for a model on labelled bags.
type Figure struct {
	Name   string   `json:"name"`
	Value  *float64 `json:"value"` // null if undefined
	Low    *float64 `json:"low"`   // bounds of the interval at [Level]; null if there is none
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
	if len(s.Targets) == 0 || len(s.Scores) != len(s.Targets) {
		return nil, fmt.Errorf("%d targets and scores of %d bags", len(s.Targets), len(s.Scores))
	}
	if s.Units == nil {
		for i := range s.Targets {
			s.Units = append(s.Units, []int{i})
		}
	}
	if s.Logits != nil && len(s.Logits) != len(s.Targets) {
		return nil, fmt.Errorf("%d targets and logits of %d bags", len(s.Targets), len(s.Logits))
	}
	for i, row := range s.Scores {
		if want := s.width(); len(row) != want {
			return nil, fmt.Errorf("bag %d has %d scores, not %d", i, len(row), want)
		}
	}
	if s.Survival != nil && len(s.Survival) != len(s.Targets) {
		return nil, fmt.Errorf("%d targets and survival curves of %d bags", len(s.Targets), len(s.Survival))
	}
	var list []Figure
	for _, f := range s.figures() {
		some, err := s.measured(f, seed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		list = append(list, some...)
	}
	if !s.grouped() {
		return list, nil
	}
	bags := make([]results.ScoredBag, len(s.Targets))
	for i := range bags {
		bags[i] = results.ScoredBag{Target: s.Targets[i], Scores: s.Scores[i]}
	}
	name := "group " + list[0].Name
	joined := results.ByGroup(s.Kind, bags, s.Units, false)
	if joined == nil {
		return append(list, Figure{Name: name, Why: "bags of a group differ in their target"}), nil
	}
	groups := Scored{Kind: s.Kind, Classes: s.Classes}
	for i, b := range joined {
		groups.Targets, groups.Scores, groups.Units = append(groups.Targets, b.Target), append(groups.Scores, b.Scores), append(groups.Units, []int{i})
	}
	first := groups.figures()[0]
	first.name = name
	some, err := groups.measured(first, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return append(list, some...), nil
}

// measured returns a figure with its intervals, or why it has none.
func (s Scored) measured(f figure, seed uint64) (list []Figure, err error) {
	one := Figure{Name: f.name}
	if f.of == nil {
		one.Why = "there are no probabilities: the scores are no logits"
		return []Figure{one}, nil
	}
	value, err := f.of(s.all())
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
	own, err := f.interval(s, value)
	if err != nil {
		return nil, err
	}
	if own != nil {
		own.Name, own.Value = f.name, &value
		list = append(list, *own)
	}
	if own == nil || f.both && s.grouped() {
		if err := one.bootstrap(s, seed, f.of); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// Confusion returns the confusion matrix for a target with classes ([stats.Confusion]). For two classes it uses the
// threshold of the accuracy.
func Confusion(s Scored) ([][]int, error) {
	labels := s.labels(s.all())
	if s.Kind == mil.ClassTarget {
		predicted, err := stats.PredictedClasses(s.Scores)
		if err != nil {
			return nil, err
		}
		return stats.Confusion(labels, predicted, s.Classes)
	}
	predicted := make([]int, len(labels))
	for i, z := range s.decisions(s.all()) {
		if z > 0 {
			predicted[i] = 1
		}
	}
	return stats.Confusion(labels, predicted, 2)
}

// width returns the number of scores per bag.
func (s Scored) width() int {
	if s.Kind == mil.ClassTarget {
		return s.Classes
	}
	return 1
}

// grouped reports whether any unit has several bags.
func (s Scored) grouped() bool { return s.Units != nil && len(s.Units) < len(s.Targets) }

// all returns the indices of all bags.
func (s Scored) all() []int {
	items := make([]int, len(s.Targets))
	for i := range items {
		items[i] = i
	}
	return items
}

func (s Scored) labels(items []int) []int {
	labels := make([]int, len(items))
	for k, i := range items {
		labels[k] = s.Targets[i].Label
	}
	return labels
}

func (s Scored) values(items []int) []float64 {
	values := make([]float64, len(items))
	for k, i := range items {
		values[k] = s.Targets[i].Value
	}
	return values
}

func (s Scored) first(items []int) []float64 {
	scores := make([]float64, len(items))
	for k, i := range items {
		scores[k] = s.Scores[i][0]
	}
	return scores
}

func (s Scored) events(items []int) []bool {
	events := make([]bool, len(items))
	for k, i := range items {
		events[k] = s.Targets[i].Event
	}
	return events
}

// decisions returns the logits, or else the scores. A bag counts as positive above 0.
func (s Scored) decisions(items []int) []float64 {
	if s.Logits == nil {
		return s.first(items)
	}
	logits := make([]float64, len(items))
	for k, i := range items {
		logits[k] = s.Logits[i]
	}
	return logits
}

func (s Scored) rows(items []int) [][]float64 {
	rows := make([][]float64, len(items))
	for k, i := range items {
		rows[k] = s.Scores[i]
	}
	return rows
}

// figure describes how to compute a figure.
type figure struct {
	name string
	of   func(items []int) (float64, error) // nil if the scores do not allow it

	own  func(s Scored, value float64) (*Figure, error) // an interval other than the bootstrap; nil for none
	both bool                                           // add a bootstrap interval if units have several bags
}

func (f figure) interval(s Scored, value float64) (*Figure, error) {
	if f.own == nil {
		return nil, nil
	}
	return f.own(s, value)
}

// figures returns the figures for the kind of target.
func (s Scored) figures() []figure {
	switch s.Kind {
	case mil.BinaryTarget:
		binary := func(f func([]int, []float64) (float64, error)) func([]int) (float64, error) {
			return func(items []int) (float64, error) { return f(s.labels(items), s.first(items)) }
		}
		decided := func(f func([]int, []float64) (float64, error)) func([]int) (float64, error) {
			return func(items []int) (float64, error) { return f(s.labels(items), s.decisions(items)) }
		}
		list := []figure{
			{name: "AUC", of: binary(stats.AUC), own: deLong, both: true},
			{name: "accuracy", of: decided(stats.Accuracy), own: clopperPearson},
			{name: "balanced accuracy", of: decided(stats.BalancedAccuracy)},
			{name: "sensitivity", of: decided(stats.Sensitivity), own: clopperPearsonOf(1)},
			{name: "specificity", of: decided(stats.Specificity), own: clopperPearsonOf(0)},
		}
		if s.Logits == nil {
			return append(list, figure{name: "log-loss"}, figure{name: "Brier score"})
		}
		return append(list, figure{name: "log-loss", of: decided(stats.LogLoss)}, figure{name: "Brier score", of: decided(brier)})
	case mil.ClassTarget:
		classes := func(f func([]int, [][]float64) (float64, error)) func([]int) (float64, error) {
			return func(items []int) (float64, error) { return f(s.labels(items), s.rows(items)) }
		}
		return []figure{
			{name: "macro AUC", of: classes(stats.MulticlassAUC)},
			{name: "accuracy", of: classes(stats.MulticlassAccuracy), own: clopperPearson},
			{name: "balanced accuracy", of: classes(stats.MulticlassBalancedAccuracy)},
			{name: "quadratic kappa", of: classes(func(labels []int, rows [][]float64) (float64, error) {
				predicted, err := stats.PredictedClasses(rows)
				if err != nil {
					return 0, err
				}
				return stats.Kappa(labels, predicted, s.Classes)
			})},
		}
	case mil.RealTarget:
		real := func(f func([]float64, []float64) (float64, error)) func([]int) (float64, error) {
			return func(items []int) (float64, error) { return f(s.values(items), s.first(items)) }
		}
		return []figure{{name: "R²", of: real(stats.R2)}, {name: "MAE", of: real(stats.MAE)}, {name: "RMSE", of: real(stats.RMSE)},
			{name: "Spearman's ρ", of: real(stats.Spearman)}}
	}
	list := []figure{{name: "concordance", of: func(items []int) (float64, error) {
		return stats.Concordance(s.values(items), s.events(items), s.first(items))
	}}}
	if s.Survival != nil {
		list = append(list, figure{name: "integrated Brier score", of: s.integratedBrier})
	}
	return list
}

// integratedBrier returns the integrated Brier score of the curves for some bags.
func (s Scored) integratedBrier(items []int) (float64, error) {
	var curves [][]float64
	at := s.Survival[0].Times
	for _, i := range items {
		if !slices.Equal(s.Survival[i].Times, at) {
			return 0, fmt.Errorf("bag %d has a survival curve at other times than the first", i)
		}
		curves = append(curves, s.Survival[i].Alive)
	}
	return stats.IntegratedBrierFollowUp(s.values(items), s.events(items), curves, at)
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
	auc, se, err := stats.DeLong(s.labels(s.all()), s.first(s.all()))
	switch {
	case stats.Undefined(err):
		return &Figure{Why: err.Error()}, nil
	case err != nil:
		return nil, err
	case se == 0:
		return &Figure{Why: "DeLong's error is 0 where all scores of one class are above all of the other"}, nil
	}
	half := distuv.UnitNormal.Quantile((1+Level)/2) * se
	low, high := max(0, auc-half), min(1, auc+half)
	return &Figure{Low: &low, High: &high, Method: "DeLong"}, nil
}

// clopperPearson returns the interval of a share of bags. It returns nil unless every bag is a unit.
func clopperPearson(s Scored, share float64) (*Figure, error) {
	if s.grouped() {
		return nil, nil
	}
	n := len(s.Targets)
	low, high, err := stats.ShareInterval(math.Round(share*float64(n)), n, Level)
	return &Figure{Low: &low, High: &high, Method: "Clopper-Pearson"}, err
}

// clopperPearsonOf is [clopperPearson] for the bags of a class, with their number.
func clopperPearsonOf(class int) func(s Scored, share float64) (*Figure, error) {
	return func(s Scored, share float64) (*Figure, error) {
		var of Scored
		for i, t := range s.Targets {
			if t.Label == class {
				of.Targets = append(of.Targets, s.Targets[i])
			}
		}
		if s.grouped() {
			return nil, nil
		}
		f, err := clopperPearson(of, share)
		f.Method += fmt.Sprintf(", %.0f of %d", math.Round(share*float64(len(of.Targets))), len(of.Targets))
		return f, err
	}
}

// bootstrap sets the bootstrap interval of a figure.
func (f *Figure) bootstrap(s Scored, seed uint64, of func([]int) (float64, error)) error {
	low, high, left, err := stats.Bootstrap(s.Units, Draws, Level, seed, of)
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
		f.Method += fmt.Sprintf(", %d of %d draws left out", left, Draws)
	}
	return nil
}
