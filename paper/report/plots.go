package report

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/charts"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/paper"
	"synpool/plotting"
)

// Plot draws a figure of an experiment by its name in [paper.Experiment].
func Plot(a results.Archive, name string) (*plotting.Figure, error) { return open(a).plot(name) }

func (a opened) plot(name string) (figure *plotting.Figure, err error) {
	e, err := paper.FindExperiment(a.Experiment)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(e.Figures, name) {
		return nil, fmt.Errorf("%s has no figure %q; use one of %s", e.Name, name, strings.Join(e.Figures, ", "))
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("figure %s of %s: %w", name, e.Name, err)
		}
	}()
	defer caught(&err)
	if len(a.Results) == 0 {
		return nil, results.ErrNoResults
	}
	return plots[e.Name+" "+name](a), nil
}

// plots draw the figures, by experiment and name.
var plots = map[string]func(opened) *plotting.Figure{
	"poolings auc": from(func(s poolingStudy) *plotting.Figure {
		return columnIntervals("Poolings, chosen by validation parts", s.grid, "repeats")
	}),
	"poolings ranks": from(func(s poolingStudy) *plotting.Figure {
		return ranksPlot(s.single, s.families())
	}),
	"published steps":   from(stepsPlot("From the honest protocol to the published one", "", "repeats")),
	"published control": from(stepsPlot("Shuffled labels: the truth is 0.5", shuffledSuffix, "shuffles")),
	"ablation changes":  from(changesPlot),
	"iterations sweep":  from(iterationsPlot),
	"iterations ranks": from(func(s iterationStudy) *plotting.Figure {
		one, there := s.byValidation[paperPreset]
		if !there {
			one = s.Chosen(releasedPreset)
		}
		return ranksPlot(one.names(), one.families())
	}),
	"winners steps": from(winnerStepsPlot),
	"winners sets":  from(winnerSetsPlot),
	"noise noise":   from(noisePlot),
	"noise lead":    from(leadPlot),
	"assumption assumption": func(a opened) *plotting.Figure {
		return intervals("Under 0.5: the MIL assumption is broken", pooledTable(a.Results), "drawings", label)
	},
	"features spaces":      spacesPlot,
	"features silhouettes": silhouettesPlot,
	"learners auc":         from(learnersMap(false)),
	"learners ranks": from(func(s learnerStudy) *plotting.Figure {
		return ranksPlot(s.complete, s.values)
	}),
	"networks auc": from(networksMap),
}

// intervals draws rows, whose values are of repeats, of drawings or of shuffles.
func intervals(title string, list []results.Row, over string, name func(results.Row) string) *plotting.Figure {
	need(len(list) > 0)
	var rows []plotting.IntervalRow
	for _, r := range list {
		row := charts.Row(r, r.Set, name(r))
		row.Over = over
		rows = append(rows, row)
	}
	return must(plotting.AUCIntervals(title, rows))
}

// overFamilies is a row of values, one a set, as points of families of sets, with their mean and its interval if there are two.
func overFamilies(name, setting string, sets []string, values []float64) plotting.IntervalRow {
	_, merged := merge(sets, rowsOf(values), familyOf)
	points := column(merged, 0)
	for i := range points {
		points[i] = round(points[i])
	}
	row := plotting.IntervalRow{Set: name, Setting: setting, Over: "families of sets", Points: points, N: len(points), Mean: mean(points)}
	row.Low, row.High = row.Mean, row.Mean
	if row.N > 1 {
		e := newEffect(points, row.Over)
		row.Low, row.High = e.Low, e.High
	}
	return row
}

// ranksPlot draws average ranks over families of sets, a row of values each.
func ranksPlot(methods []string, values [][]float64) *plotting.Figure {
	if len(values) < 2 {
		try(fmt.Errorf("%w: ranks need two families of sets with all settings at least", errIncomplete))
	}
	ranks, difference := averageRanks(values), must(stats.NemenyiDifference(len(methods), len(values), alpha))
	var list []plotting.MethodRank
	for i, m := range methods {
		list = append(list, plotting.MethodRank{Name: m, Rank: ranks[i]})
	}
	return must(plotting.CriticalDifference(fmt.Sprintf("Average ranks over %d families of sets", len(values)), list, difference))
}
