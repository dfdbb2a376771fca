package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench"
	"synpool/milbench/stats"
	"synpool/milbench/study"
	"synpool/plotting"
)

// PlotTable draws the AUC of every setting on every set, with intervals over repeats.
func PlotTable(results []study.Result) (*plotting.Figure, error) {
	several := slices.ContainsFunc(results, func(r study.Result) bool { return r.Protocol != results[0].Protocol || r.Folds != results[0].Folds })
	return intervals(study.Archive{Results: results}, "AUC of every setting", func(r study.Row) string {
		if several {
			return fmt.Sprintf("%s, %s, %d folds", r.Setting, r.Protocol, r.Folds)
		}
		return r.Setting
	})
}

// Plot draws a figure of an experiment by its name in [study.Experiment].
func Plot(a study.Archive, name string) (*plotting.Figure, error) {
	e, err := study.FindExperiment(a.Experiment)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(e.Figures, name) {
		return nil, fmt.Errorf("%s has no figure %q; use one of %s", e.Name, name, strings.Join(e.Figures, ", "))
	}
	if len(a.Results) == 0 {
		return nil, fmt.Errorf("%s: %w", e.Name, study.ErrNoResults)
	}
	figure, err := plots[e.Name+" "+name](a)
	if err != nil {
		return nil, fmt.Errorf("figure %s of %s: %w", name, e.Name, err)
	}
	return figure, nil
}

// plots draw the figures, by experiment and name.
var plots = map[string]func(study.Archive) (*plotting.Figure, error){
	"poolings auc": func(a study.Archive) (*plotting.Figure, error) {
		return intervals(a, "Poolings, chosen by validation parts", poolingOf)
	},
	"poolings ranks": poolingRanks,
	"published steps": func(a study.Archive) (*plotting.Figure, error) {
		return stepsPlot(a, "From the honest protocol to the published one", false)
	},
	"published control": func(a study.Archive) (*plotting.Figure, error) {
		return stepsPlot(a, "Shuffled labels: the truth is 0.5", true)
	},
	"ablation auc":       func(a study.Archive) (*plotting.Figure, error) { return intervals(a, "One change at a time", changeOf) },
	"iterations sweep":   iterationsPlot,
	"iterations ranks":   iterationRanks,
	"iterations winners": winnersPlot,
	"noise noise":        noisePlot,
	"assumption assumption": func(a study.Archive) (*plotting.Figure, error) {
		return intervals(a, "Under 0.5: the MIL assumption is broken", label)
	},
	"witness witness": witnessPlot,
	"features spaces": spacesPlot,
	"ensembles auc":   func(a study.Archive) (*plotting.Figure, error) { return intervals(a, "One network and ten", membersOf) },
}

func poolingOf(r study.Row) string {
	name, _, _ := strings.Cut(r.Setting, " ")
	return name
}

func changeOf(r study.Row) string {
	c, err := configOf(r.Config)
	if err != nil {
		return r.Setting
	}
	return change(c)
}

func membersOf(r study.Row) string {
	c, err := configOf(r.Config)
	if err != nil {
		return r.Setting
	}
	if c.Members > 0 {
		return fmt.Sprintf("%s, mean of %d", label(r), c.Members)
	}
	return label(r)
}

// aucRow is the row of a figure of intervals.
func aucRow(r study.Row, set, setting string) plotting.AUCRow {
	row := plotting.AUCRow{Set: set, Setting: setting, Mean: r.AUCMean, Low: r.AUCMean, High: r.AUCMean, N: r.N, Over: "repeats", Points: r.AUCs}
	if r.AUCLow != nil && r.AUCHigh != nil {
		row.Low, row.High = *r.AUCLow, *r.AUCHigh
	}
	return row
}

// intervals draws all settings on all sets.
func intervals(a study.Archive, title string, name func(study.Row) string) (*plotting.Figure, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return nil, err
	}
	var rows []plotting.AUCRow
	for _, r := range t.Rows {
		rows = append(rows, aucRow(r, r.Set, name(r)))
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.AUCIntervals(title, rows)
}

// ranksPlot draws average ranks over sets.
func ranksPlot(title string, methods []string, values [][]float64) (*plotting.Figure, error) {
	if len(values) < 2 {
		return nil, errors.New("ranks need two sets with all settings at least")
	}
	ranks, err := stats.AverageRanks(values)
	if err != nil {
		return nil, err
	}
	difference, err := stats.NemenyiDifference(len(methods), len(values), alpha)
	if err != nil {
		return nil, err
	}
	var list []plotting.MethodRank
	for i, m := range methods {
		list = append(list, plotting.MethodRank{Name: m, Rank: ranks[i]})
	}
	return plotting.CriticalDifference(title, list, difference)
}

func poolingRanks(a study.Archive) (*plotting.Figure, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return nil, err
	}
	g := newGrid(t.Rows, func(r study.Row) (string, string) { return r.Set, poolingOf(r) })
	values := g.means(g.columns)
	return ranksPlot(fmt.Sprintf("Average ranks over %d sets", len(values)), g.columns, values)
}

func iterationRanks(a study.Archive) (*plotting.Figure, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return nil, err
	}
	common := f.common()
	var names []string
	for _, s := range common {
		names = append(names, "I = "+minus(s))
	}
	return ranksPlot(fmt.Sprintf("Average ranks over %d sets", len(f.sets)), names, f.table(f.sets, common))
}

// stepsPlot draws what each step from the honest protocol to the published one does, for the softmax that the published
// program ran.
func stepsPlot(a study.Archive, title string, control bool) (*plotting.Figure, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return nil, err
	}
	names := map[string]string{
		milbench.HonestProtocol: "honest", milbench.BestEpochProtocol: "best test epoch", milbench.PublishedProtocol: "published: one fold, too",
		milbench.HonestProtocol + leakSuffix: "honest, leaked column", milbench.PublishedProtocol + leakSuffix: "published, leaked column",
	}
	order := []string{"honest", "best test epoch", "published: one fold, too", "published, leaked column", "honest, leaked column"}
	var rows []plotting.AUCRow
	for _, r := range t.Rows {
		set, suffix := changed(r.Set)
		if label(r) != "softmax" || control != (suffix == shuffledSuffix) {
			continue
		}
		name := names[r.Protocol+suffix]
		if control {
			name = names[r.Protocol]
		}
		rows = append(rows, aucRow(r, set, name))
	}
	slices.SortStableFunc(rows, func(x, y plotting.AUCRow) int {
		return cmp.Or(study.CompareNatural(x.Set, y.Set), slices.Index(order, x.Setting)-slices.Index(order, y.Setting))
	})
	return plotting.AUCIntervals(title, rows)
}

// iterationsPlot draws the AUC against I, a curve a set.
func iterationsPlot(a study.Archive) (*plotting.Figure, error) {
	return sweepPlot(a, "Concentration (I > 0) and distraction (I < 0)", func(r study.Row) (curve string, x float64, ok bool) {
		c, err := configOf(r.Config)
		return r.Set, float64(c.Iterations), err == nil
	}, "Syn steps I", plotting.Linear)
}

// noisePlot draws the AUC against I, a curve a set and noise; of more than those of one set only those with noise in both
// parts.
func noisePlot(a study.Archive) (*plotting.Figure, error) {
	return sweepPlot(a, "With noise in training and test part", func(r study.Row) (curve string, x float64, ok bool) {
		c, err := configOf(r.Config)
		partly := strings.HasSuffix(r.Set, " "+study.OnTrain) || strings.HasSuffix(r.Set, " "+study.OnTest)
		return r.Set, float64(c.Iterations), err == nil && !partly
	}, "Syn steps I", plotting.Linear)
}

// witnessPlot draws the AUC against the witness rate, a curve a setting.
func witnessPlot(a study.Archive) (*plotting.Figure, error) {
	return sweepPlot(a, "How few instances may tell", func(r study.Row) (curve string, x float64, ok bool) {
		rate := witnessRate(r.Set)
		return label(r), rate, rate > 0
	}, "Witness rate", plotting.Logarithmic)
}

// sweepPlot draws the AUC of rows against a number.
func sweepPlot(a study.Archive, title string, place func(study.Row) (curve string, x float64, ok bool), axis string, scale plotting.Scale) (*plotting.Figure, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return nil, err
	}
	type point struct {
		x   float64
		row study.Row
	}
	points := make(map[string][]point)
	var names []string
	for _, r := range t.Rows {
		name, x, ok := place(r)
		if !ok {
			continue
		}
		if points[name] == nil {
			names = append(names, name)
		}
		points[name] = append(points[name], point{x, r})
	}
	var curves []plotting.SweepCurve
	for _, name := range names {
		slices.SortFunc(points[name], func(p, q point) int { return cmp.Compare(p.x, q.x) })
		c := plotting.SweepCurve{Name: name}
		for _, p := range points[name] {
			c.X, c.Mean = append(c.X, p.x), append(c.Mean, p.row.AUCMean)
			if p.row.AUCLow != nil && p.row.AUCHigh != nil {
				c.Low, c.High = append(c.Low, *p.row.AUCLow), append(c.High, *p.row.AUCHigh)
			}
		}
		if len(c.Low) < len(c.X) {
			c.Low, c.High = nil, nil
		}
		curves = append(curves, c)
	}
	return plotting.Sweep(title, axis, scale, curves)
}

// winnersPlot draws how often the winner changes from epoch to epoch on the first set, for the strongest distraction, no
// steps, and the strongest concentration.
func winnersPlot(a study.Archive) (*plotting.Figure, error) {
	if len(a.Curves) == 0 {
		return nil, errors.New("the curves were not kept")
	}
	set := a.Curves[0].Set
	byNumber := make(map[int]study.MeanCurve)
	low, high := 0, 0
	for _, c := range a.Curves {
		s, err := configOf(c.Config)
		if err != nil {
			return nil, err
		}
		if c.Set == set {
			byNumber[s.Iterations] = c
			low, high = min(low, s.Iterations), max(high, s.Iterations)
		}
	}
	var curves []plotting.TransferCurve
	for _, i := range slices.Compact([]int{low, 0, high}) {
		if c, ok := byNumber[i]; ok {
			curves = append(curves, plotting.TransferCurve{Name: "I = " + minus(strconv.Itoa(i)), Rate: [][]float64{c.WinnersChanged}})
		}
	}
	return plotting.WinnerTransfers("Winners that change, "+set, curves)
}
