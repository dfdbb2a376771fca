// Package charts draws the figures of any results: the main figure of each setting, and the test bags of one of them. Package paper/report
// has those of the experiments.
package charts

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/evaluate"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// BagNames are the names of the figures that [Bags] draws.
var BagNames = []string{"confusion", "scatter", "survival"}

// bagPlot draws a row by the test bags of its repeats.
type bagPlot struct {
	kinds []mil.TargetKind
	draw  func(r results.Row, heading string, repeats [][]results.ScoredBag) (*plotting.Figure, error)
}

var bagPlots = map[string]bagPlot{
	"confusion": {[]mil.TargetKind{mil.BinaryTarget, mil.ClassTarget}, confusionPlot},
	"scatter":   {[]mil.TargetKind{mil.RealTarget}, scatterPlot},
	"survival":  {[]mil.TargetKind{mil.SurvivalTarget}, survivalPlot},
}

// Bags draws the test bags of one setting on one set, each repeat's folds together: the confusion matrix of classes (confusion), real
// targets and their predictions (scatter), or the survival of the thirds by risk (survival). set and setting are names in the table. An
// empty set stands for the only one, an empty setting for the best.
func Bags(fits []results.Result, name, set, setting string) (*plotting.Figure, error) {
	plot, there := bagPlots[name]
	if !there {
		return nil, fmt.Errorf("no figure %q of bags; use one of %s", name, strings.Join(BagNames, ", "))
	}
	r, err := rowOf(fits, set, setting)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(plot.kinds, r.Target) {
		var of []string
		for n, p := range bagPlots {
			if slices.Contains(p.kinds, r.Target) {
				of = append(of, n)
			}
		}
		return nil, fmt.Errorf("%s: no figure %s of targets of kind %v; use %s", r.Set, name, r.Target, strings.Join(of, ", "))
	}
	repeats, err := bagsOf(fits, r)
	if err != nil {
		return nil, err
	}
	heading := fmt.Sprintf("%s, %s (%s)", r.Set, r.Setting, protocolOf(r))
	figure, err := plot.draw(r, heading, repeats)
	if err != nil {
		return nil, fmt.Errorf("figure %s of %s, %s: %w", name, r.Set, r.Setting, err)
	}
	return figure, nil
}

// ofSets returns the rows of the sets of these names, all rows without names.
func ofSets(rows []results.Row, sets []string) ([]results.Row, error) {
	if len(rows) == 0 {
		return nil, errors.New("no repeat is complete yet; run the same command again to finish one")
	}
	var there []string
	for _, r := range rows {
		if !slices.Contains(there, r.Set) {
			there = append(there, r.Set)
		}
	}
	for _, set := range sets {
		if !slices.Contains(there, set) {
			return nil, fmt.Errorf("no set %q; the sets are %s", set, strings.Join(there, ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { return len(sets) > 0 && !slices.Contains(sets, r.Set) }), nil
}

// rowName returns what a setting is called: with its protocol where there are several.
func rowName(rows []results.Row) func(results.Row) string {
	several := slices.ContainsFunc(rows, func(r results.Row) bool { return protocolOf(r) != protocolOf(rows[0]) })
	return func(r results.Row) string {
		if several {
			return r.Setting + ", " + protocolOf(r)
		}
		return r.Setting
	}
}

// protocolOf names the protocol of a row, with its folds and shots.
func protocolOf(r results.Row) string {
	name := r.Protocol
	if r.Folds > 1 {
		name += fmt.Sprintf(", %d folds", r.Folds)
	}
	if r.Splits != "" {
		name += fmt.Sprintf(" given as %.8s", r.Splits)
	}
	if r.Shots > 0 {
		name += fmt.Sprintf(", shots %d", r.Shots)
	}
	return name
}

// rowOf returns the row of a set and a setting, see [Bags].
func rowOf(fits []results.Result, set, setting string) (results.Row, error) {
	t, err := results.Tabulate(fits)
	if err != nil {
		return results.Row{}, err
	}
	var sets []string
	if set != "" {
		sets = []string{set}
	}
	rows, err := ofSets(t.Rows, sets)
	if err != nil {
		return results.Row{}, err
	}
	var names []string
	name := rowName(rows)
	var kept []results.Row
	for _, r := range rows {
		if r.Checksum != rows[0].Checksum {
			return results.Row{}, fmt.Errorf("several sets, such as %s and %s; choose one with --set", rows[0].Set, r.Set)
		}
		names = append(names, name(r))
		if setting == "" || r.Setting == setting || name(r) == setting {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return results.Row{}, fmt.Errorf("no setting %q; the settings are %s", setting, strings.Join(names, "; "))
	}
	for _, r := range kept {
		if !r.ComparesWith(kept[0]) {
			return results.Row{}, fmt.Errorf("settings under several protocols do not compare; choose one with --setting: %s", strings.Join(names, "; "))
		}
	}
	return slices.MaxFunc(kept, func(a, b results.Row) int { return cmp.Compare(a.Mean, b.Mean) }), nil
}

// bagsOf returns the test bags of each complete repeat of a row.
func bagsOf(fits []results.Result, r results.Row) ([][]results.ScoredBag, error) {
	if r.Config == nil {
		return nil, fmt.Errorf("%s, %s: each fold has a setting of its own; choose a row of one setting with --setting, or run one setting into a new folder",
			r.Set, r.Setting)
	}
	var own []results.Result
	for _, f := range fits {
		if !r.Covers(f) {
			continue
		}
		config, err := cv.CanonicalSetting(f.Config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Set, err)
		}
		if string(config) == string(r.Config) {
			own = append(own, f)
		}
	}
	var all [][]results.ScoredBag
	for _, folds := range results.Complete(own) {
		var bags []results.ScoredBag
		for _, f := range folds {
			bags = append(bags, f.Bags...)
		}
		all = append(all, bags)
	}
	return all, nil
}

// figuresOf writes figures of a row as the table has them; those that it lacks are left out.
func figuresOf(r results.Row, names ...string) string {
	var parts []string
	for _, f := range r.Named() {
		if slices.Contains(names, f.Name) {
			parts = append(parts, f.Name+" "+strings.Replace(strings.TrimSuffix(fmt.Sprintf("%#.3g", f.Value), "."), "-", "−", 1))
		}
	}
	return strings.Join(parts, ", ")
}

// confusionPlot draws the confusion matrix, counts averaged over repeats.
func confusionPlot(r results.Row, heading string, repeats [][]results.ScoredBag) (*plotting.Figure, error) {
	classes := r.Classes
	if len(classes) == 0 {
		classes = []string{"negative", "positive"}
	}
	counts := make([][]float64, len(classes))
	for i := range counts {
		counts[i] = make([]float64, len(classes))
	}
	for _, bags := range repeats {
		matrix, err := evaluate.Confusion(evaluate.Scored{Kind: r.Target, Classes: len(classes), Bags: bags})
		if err != nil {
			return nil, err
		}
		for i, row := range matrix {
			for j, n := range row {
				counts[i][j] += float64(n) / float64(len(repeats))
			}
		}
	}
	title := fmt.Sprintf("%s: %s", heading, figuresOf(r, "accuracy", "balanced accuracy"))
	if n := len(repeats); n > 1 {
		title += fmt.Sprintf("; mean counts of %d repeats", n)
	}
	return plotting.Confusion(title, classes, counts)
}

// scoredBag is a bag and a number of it from each repeat that tests it.
type scoredBag struct {
	target  mil.Target
	numbers []float64
}

// overRepeatsOf returns the bags of all repeats in the order of their ids, with the numbers that of makes of a repeat.
func overRepeatsOf(repeats [][]results.ScoredBag, of func([]float64) ([]float64, error)) ([]scoredBag, error) {
	byID := make(map[string]*scoredBag)
	for _, bags := range repeats {
		var scores []float64
		for _, b := range bags {
			scores = append(scores, b.Scores[0])
		}
		numbers, err := of(scores)
		if err != nil {
			return nil, err
		}
		for i, b := range bags {
			if byID[b.ID] == nil {
				byID[b.ID] = &scoredBag{target: b.Target}
			}
			byID[b.ID].numbers = append(byID[b.ID].numbers, numbers[i])
		}
	}
	var all []scoredBag
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		all = append(all, *byID[id])
	}
	return all, nil
}

// scatterPlot draws the mean prediction of each bag against its target. The figures are those of the table: means over repeats have smaller errors.
func scatterPlot(r results.Row, heading string, repeats [][]results.ScoredBag) (*plotting.Figure, error) {
	bags, err := overRepeatsOf(repeats, func(scores []float64) ([]float64, error) { return scores, nil })
	if err != nil {
		return nil, err
	}
	var targets, predictions []float64
	for _, b := range bags {
		targets, predictions = append(targets, b.target.Value), append(predictions, stat.Mean(b.numbers, nil))
	}
	title := fmt.Sprintf("%s: %s", heading, figuresOf(r, "pooled R²", "MAE", "Spearman's ρ"))
	axis := "Predicted value"
	if n := len(repeats); n > 1 {
		title += fmt.Sprintf(", each a mean over %d repeats", n)
		axis += fmt.Sprintf(" (mean over %d repeats)", n)
	}
	return plotting.Predictions(title, "True value", axis, targets, predictions)
}

// thirds names the groups by risk.
var thirds = []string{"low risk", "middle risk", "high risk"}

// riskThirds returns the third of each bag, from 0 for the lowest mean rank over repeats; bags of one rank are of one third.
func riskThirds(bags []scoredBag) ([]int, error) {
	means := make([]float64, len(bags))
	for i, b := range bags {
		means[i] = stat.Mean(b.numbers, nil)
	}
	ranks, err := riskRanks(means)
	if err != nil {
		return nil, err
	}
	groups := make([]int, len(bags))
	for i, rank := range ranks {
		groups[i] = min(int(float64(len(thirds))*rank), len(thirds)-1)
	}
	return groups, nil
}

// riskRanks returns the ranks of risks as shares between 0 and 1, that of the lowest risk the smallest. Equal risks share their mean rank.
func riskRanks(risks []float64) ([]float64, error) {
	if len(risks) < len(thirds) {
		return nil, fmt.Errorf("%d test bags; thirds by risk need %d at least", len(risks), len(thirds))
	}
	ranks, err := stats.AverageRanks([][]float64{risks}) // 1 is the highest risk
	for i := range ranks {
		ranks[i] = (float64(len(risks)) - ranks[i] + 0.5) / float64(len(risks))
	}
	return ranks, err
}

// survivalPlot draws Kaplan-Meier curves of the thirds by risk.
func survivalPlot(r results.Row, heading string, repeats [][]results.ScoredBag) (*plotting.Figure, error) {
	bags, err := overRepeatsOf(repeats, riskRanks)
	if err != nil {
		return nil, err
	}
	groups, err := riskThirds(bags)
	if err != nil {
		return nil, err
	}
	var times []float64
	var events []bool
	for _, b := range bags {
		times, events = append(times, b.target.Value), append(events, b.target.Event)
	}
	var curves []plotting.SurvivalCurve
	for third, name := range thirds {
		c := plotting.SurvivalCurve{}
		var seen []bool
		for i, g := range groups {
			if g != third {
				continue
			}
			c.Followed, seen = append(c.Followed, times[i]), append(seen, events[i])
			if !events[i] {
				c.Censored = append(c.Censored, times[i])
			}
		}
		if len(seen) == 0 {
			continue // risks that are mostly the same
		}
		curve, err := stats.KaplanMeier(c.Followed, seen)
		if err != nil {
			return nil, err
		}
		c.Name, c.Times, c.Survival = name, curve.Times, curve.Survival
		curves = append(curves, c)
	}
	test, err := stats.LogRank(times, events, groups)
	p := fmt.Sprintf("log-rank p = %.3f", test.P)
	if test.P < 0.001 {
		p = "log-rank p < 0.001"
	}
	switch {
	case errors.Is(err, stats.ErrOneGroup) || errors.Is(err, stats.ErrNoEvents) || errors.Is(err, stats.ErrNoPairs):
		p = "no log-rank test"
	case err != nil:
		return nil, err
	}
	title := fmt.Sprintf("%s: %s, %s", heading, figuresOf(r, "concordance"), p)
	if n := len(repeats); n > 1 {
		title += fmt.Sprintf("; thirds by mean rank of the risk over %d repeats", n)
	}
	return plotting.Survival(title, "Time", curves)
}
