package results

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// figure is a figure of merit for models of one kind of target.
type figure struct {
	key     string // name in files
	heading string // heading of its column
	name    string
	plural  string // name in verdicts

	folds       bool // a repeat's figure is the mean over its folds; otherwise it is computed from the bags of all folds together
	least, most float64

	of Measure
}

// Measure computes a figure of bags, given the number of classes.
type Measure func(bags []ScoredBag, classes int) (float64, error)

// MeasureOf returns what computes the figure of a name, as [Row.Named] has it, for a kind of target; nil if there is none.
func MeasureOf(kind mil.TargetKind, name string) Measure {
	for _, f := range figures[kind] {
		if f.name == name {
			return f.of
		}
	}
	return nil
}

var infinite = math.Inf(1)

// figures lists the figures for each kind of target. The first is the main one, used to order, choose and compare
// rows; larger is better.
var figures = map[mil.TargetKind][]figure{
	mil.BinaryTarget: {
		{"auc", "AUC", "AUC", "AUCs", true, 0, 1, OfLabels(stats.AUC)},
		{"auc_pooled", "pooled AUC", "pooled AUC", "", false, 0, 1, OfLabels(stats.AUC)},
		{"average_precision", "AP", "average precision", "", true, 0, 1, OfLabels(stats.AveragePrecision)},
		{"accuracy", "accuracy", "accuracy", "", false, 0, 1, OfLabels(stats.Accuracy)},
		{"balanced_accuracy", "bal. acc.", "balanced accuracy", "", false, 0, 1, OfLabels(stats.BalancedAccuracy)},
		{"log_loss", "log-loss", "log-loss", "", false, 0, infinite, OfLabels(stats.LogLoss)},
	},
	mil.ClassTarget: {
		{"macro_auc", "macro AUC", "macro AUC", "macro AUCs", true, 0, 1, ofClasses(stats.MulticlassAUC)},
		{"macro_auc_pooled", "pooled AUC", "pooled macro AUC", "", false, 0, 1, ofClasses(stats.MulticlassAUC)},
		{"accuracy", "accuracy", "accuracy", "", false, 0, 1, ofClasses(stats.MulticlassAccuracy)},
		{"balanced_accuracy", "bal. acc.", "balanced accuracy", "", false, 0, 1, ofClasses(stats.MulticlassBalancedAccuracy)},
		{"kappa", "kappa", "quadratic kappa", "", false, -1, 1, kappa},
		{"log_loss", "log-loss", "log-loss", "", false, 0, infinite, ofClasses(stats.MulticlassLogLoss)},
	},
	mil.RealTarget: {
		{"r2", "R²", "R²", "values of R²", true, -infinite, 1, ofValues(stats.R2)},
		{"r2_pooled", "pooled R²", "pooled R²", "", false, -infinite, 1, ofValues(stats.R2)},
		{"rmse", "RMSE", "RMSE", "", false, 0, infinite, ofValues(stats.RMSE)},
		{"mae", "MAE", "MAE", "", false, 0, infinite, ofValues(stats.MAE)},
		{"spearman", "Spearman", "Spearman's ρ", "", false, -1, 1, ofValues(stats.Spearman)},
	},
	mil.SurvivalTarget: {
		{"concordance", "concordance", "concordance", "concordances", true, 0, 1, ofTimes(stats.Concordance)},
		{"concordance_pooled", "pooled conc.", "pooled concordance", "", false, 0, 1, ofTimes(stats.Concordance)},
		{"cumulative_auc", "AUC(t)", "cumulative AUC", "", false, 0, 1, ofTimes(cumulativeAUC)},
		{"integrated_brier", "IBS", "integrated Brier score", "", true, 0, infinite, integratedBrier},
	},
}

// value is the figure of bags; an infinite one is undefined.
func (f figure) value(bags []ScoredBag, classes int) (float64, error) {
	v, err := f.of(bags, classes)
	if err == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
		return 0, fmt.Errorf("%w: the figure is %v", stats.ErrRange, v)
	}
	return v, err
}

// losses has the loss that breaks ties when a model is chosen. Survival has none.
var losses = map[mil.TargetKind]Measure{
	mil.BinaryTarget: OfLabels(stats.LogLoss),
	mil.ClassTarget:  ofClasses(stats.MulticlassLogLoss),
	mil.RealTarget: func(bags []ScoredBag, _ int) (float64, error) {
		rmse, err := ofValues(stats.RMSE)(bags, 0)
		return rmse * rmse, err
	},
	mil.SurvivalTarget: func([]ScoredBag, int) (float64, error) { return 0, nil },
}

// mainFigure returns the figure that compares models of a kind of target.
func mainFigure(kind mil.TargetKind) figure { return figures[kind][0] }

// Figure returns the main figure of bags, given the kind of target and the number of classes; see [Row].
func Figure(kind mil.TargetKind, classes int, bags []ScoredBag) (float64, error) {
	return mainFigure(kind).of(bags, classes)
}

// Named is a figure with its name.
type Named struct {
	Name  string
	Value float64
}

// Named returns the figures of a row with their full names, the main one first. Figures that the row lacks are left
// out.
func (r Row) Named() []Named {
	all := figures[r.Target]
	list := []Named{{all[0].name, r.Mean}}
	for _, f := range all[1:] {
		if value := r.other(f); value != nil {
			list = append(list, Named{f.name, *value})
		}
	}
	return list
}

// ByGroup joins the bags of each unit ([mil.Units]) to one. Its scores are the means of theirs or, with largest,
// the largest. Of two classes it is positive if one of them is, and its real target is their mean. It returns nil if
// bags of a unit differ in another class, or in time or event.
func ByGroup(kind mil.TargetKind, bags []ScoredBag, units [][]int, largest bool) (joined []ScoredBag) {
	for _, unit := range units {
		one := bags[unit[0]]
		one.Scores, one.Survival = slices.Clone(one.Scores), nil
		for _, i := range unit[1:] {
			b := bags[i]
			switch {
			case kind == mil.BinaryTarget:
				one.Label = max(one.Label, b.Label)
			case kind == mil.RealTarget:
				one.Value += b.Value
			case b.Target != one.Target:
				return nil
			}
			for k, score := range b.Scores {
				if largest {
					one.Scores[k] = max(one.Scores[k], score)
				} else {
					one.Scores[k] += score
				}
			}
		}
		if kind == mil.RealTarget {
			one.Value /= float64(len(unit))
		}
		if !largest {
			floats.Scale(1/float64(len(unit)), one.Scores)
		}
		joined = append(joined, one)
	}
	return joined
}

// FigureName returns the name of the main figure for a kind of target, for example AUC.
func FigureName(kind mil.TargetKind) string { return mainFigure(kind).heading }

// errNoCurves means that the model predicts no survival curves.
var errNoCurves = errors.New("no survival curves")

// undefined reports whether err means that these bags have no such figure.
func undefined(err error) bool { return stats.Undefined(err) || errors.Is(err, errNoCurves) }

// OfLabels adapts a figure of labels and scores to bags with a binary target.
func OfLabels(of func(labels []int, scores []float64) (float64, error)) Measure {
	return func(bags []ScoredBag, _ int) (float64, error) { return of(LabelsScores(bags)) }
}

// ofClasses adapts a figure of labels and scores to bags with a target of classes.
func ofClasses(of func(labels []int, scores [][]float64) (float64, error)) Measure {
	return func(bags []ScoredBag, _ int) (float64, error) { return of(labelsAll(bags)) }
}

func labelsAll(bags []ScoredBag) (labels []int, scores [][]float64) {
	for _, b := range bags {
		labels, scores = append(labels, b.Label), append(scores, b.Scores)
	}
	return labels, scores
}

// kappa treats the classes as ordered.
func kappa(bags []ScoredBag, classes int) (float64, error) {
	labels, scores := labelsAll(bags)
	predicted, err := stats.PredictedClasses(scores)
	if err != nil {
		return 0, err
	}
	return stats.Kappa(labels, predicted, classes)
}

// ofValues adapts a figure of targets and predictions to bags with a real target.
func ofValues(of func(targets, predictions []float64) (float64, error)) Measure {
	return func(bags []ScoredBag, _ int) (float64, error) {
		var targets, predictions []float64
		for _, b := range bags {
			targets, predictions = append(targets, b.Value), append(predictions, b.Scores[0])
		}
		return of(targets, predictions)
	}
}

// ofTimes adapts a figure of times, events and risks to bags with a survival target.
func ofTimes(of func(times []float64, events []bool, risks []float64) (float64, error)) Measure {
	return func(bags []ScoredBag, _ int) (float64, error) {
		var times, risks []float64
		var events []bool
		for _, b := range bags {
			times, events, risks = append(times, b.Value), append(events, b.Event), append(risks, b.Scores[0])
		}
		return of(times, events, risks)
	}
}

// cumulativeAUC is the mean of [stats.CumulativeAUC] at the quartiles of the event times, with the censoring of these
// bags.
func cumulativeAUC(times []float64, events []bool, risks []float64) (float64, error) {
	censoring, err := stats.CensoringCurve(times, events)
	if err != nil {
		return 0, err
	}
	var of, at []float64
	for i, t := range times {
		if events[i] {
			of = append(of, t)
		}
	}
	if len(of) == 0 {
		return 0, fmt.Errorf("%w: all %d bags are censored", stats.ErrNoEvents, len(times))
	}
	slices.Sort(of)
	for _, share := range []float64{0.25, 0.5, 0.75} {
		at = append(at, stat.Quantile(share, stat.Empirical, of, nil))
	}
	_, mean, err := stats.CumulativeAUC(censoring, times, events, risks, slices.Compact(at))
	return mean, err
}

// integratedBrier is [stats.IntegratedBrierFollowUp] for the curves of one model.
func integratedBrier(bags []ScoredBag, _ int) (float64, error) {
	var times []float64
	var events []bool
	var curves [][]float64
	for _, b := range bags {
		if b.Survival == nil || !slices.Equal(b.Survival.Times, bags[0].Survival.Times) {
			return 0, errNoCurves
		}
		times, events, curves = append(times, b.Value), append(events, b.Event), append(curves, b.Survival.Alive)
	}
	return stats.IntegratedBrierFollowUp(times, events, curves, bags[0].Survival.Times)
}
