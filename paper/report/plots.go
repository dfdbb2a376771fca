package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/charts"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/paper"
	"synpool/plotting"
)

// Plot draws a figure of an experiment by its name in [paper.Experiment].
func Plot(a results.Archive, name string) (*plotting.Figure, error) {
	e, err := paper.FindExperiment(a.Experiment)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(e.Figures, name) {
		return nil, fmt.Errorf("%s has no figure %q; use one of %s", e.Name, name, strings.Join(e.Figures, ", "))
	}
	if len(a.Results) == 0 {
		return nil, fmt.Errorf("%s: %w", e.Name, results.ErrNoResults)
	}
	figure, err := plots[e.Name+" "+name](a)
	if err != nil {
		return nil, fmt.Errorf("figure %s of %s: %w", name, e.Name, err)
	}
	return figure, nil
}

// plots draw the figures, by experiment and name.
var plots = map[string]func(results.Archive) (*plotting.Figure, error){
	"poolings auc": func(a results.Archive) (*plotting.Figure, error) {
		return columnIntervals(a, "Poolings, chosen by validation parts", poolingGrid)
	},
	"poolings ranks": poolingRanks,
	"published steps": func(a results.Archive) (*plotting.Figure, error) {
		return stepsPlot(a, "From the honest protocol to the published one", false)
	},
	"published control": func(a results.Archive) (*plotting.Figure, error) {
		return stepsPlot(a, "Shuffled labels: the truth is 0.5", true)
	},
	"ablation changes":   changesPlot,
	"iterations sweep":   iterationsPlot,
	"iterations ranks":   iterationRanks,
	"iterations winners": winnersPlot,
	"noise noise":        noisePlot,
	"noise lead":         leadPlot,
	"assumption assumption": func(a results.Archive) (*plotting.Figure, error) {
		return intervals(a, "Under 0.5: the MIL assumption is broken", label)
	},
	"witness witness":      func(a results.Archive) (*plotting.Figure, error) { return witnessPlot(a, false) },
	"witness instances":    func(a results.Archive) (*plotting.Figure, error) { return witnessPlot(a, true) },
	"features spaces":      spacesPlot,
	"features silhouettes": silhouettesPlot,
	"ensembles gains":      gainsPlot,
	"ensembles auc": func(a results.Archive) (*plotting.Figure, error) {
		return intervals(a, "One network and ten", rowNamed(config.withMembers))
	},
	"nested-ensembles auc": func(a results.Archive) (*plotting.Figure, error) {
		return columnIntervals(a, "Ensembles of ten, chosen by validation parts", ensembleGrid)
	},
	"learners auc":   func(a results.Archive) (*plotting.Figure, error) { return learnersMap(a, false) },
	"learners ranks": learnerRanks,
	"networks auc":   networksMap,
}

// intervals draws all settings on all sets; drawings of a set are put together.
func intervals(a results.Archive, title string, name func(results.Row) string) (*plotting.Figure, error) {
	all, err := pooledTable(a.Results)
	if err != nil {
		return nil, err
	}
	rows := intervalRows(all, drawings(a.Results), name)
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.AUCIntervals(title, rows)
}

// drawings reports whether all results are of drawings of a set.
func drawings(fits []results.Result) bool {
	return !slices.ContainsFunc(fits, func(r results.Result) bool {
		set, draw := drawingOf(r.Set)
		return draw == 0 || strings.HasSuffix(set, shuffledSuffix)
	})
}

// intervalRows are the rows of a figure of intervals, whose values are of repeats or of drawings.
func intervalRows(all []results.Row, drawn bool, name func(results.Row) string) (rows []plotting.IntervalRow) {
	for _, r := range all {
		row := charts.Row(r, r.Set, name(r))
		if drawn {
			row.Over = "drawings"
		}
		rows = append(rows, row)
	}
	return rows
}

// columnIntervals draws the columns of the table that a section begins with.
func columnIntervals(a results.Archive, title string, of func([]results.Result) (grid, error)) (*plotting.Figure, error) {
	g, err := of(a.Results)
	if err != nil {
		return nil, err
	}
	var rows []plotting.IntervalRow
	for _, set := range g.lines {
		for _, column := range g.columns {
			if r, there := g.cells[set][column]; there {
				rows = append(rows, charts.Row(r, set, column))
			}
		}
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.AUCIntervals(title, rows)
}

// changesPlot draws what each change does to the AUC, by the setting that it changes: a mean over sets, and the sets.
func changesPlot(a results.Archive) (*plotting.Figure, error) {
	f, err := newFigures(a.Results, named(change))
	if err != nil {
		return nil, err
	}
	places := make(map[string][]plotting.IntervalRow) // by change
	var changes []string
	for _, base := range bases {
		others := changesOf(f, base)
		sets := f.complete(append([]string{base}, others...))
		if len(sets) == 0 {
			continue
		}
		for _, other := range others {
			name := strings.TrimPrefix(other, base+", ")
			if name == other {
				name += " in its place"
			}
			row := plotting.IntervalRow{Set: name, Setting: base, Over: "sets"}
			for _, set := range sets {
				row.Points = append(row.Points, round(f.mean(set, other)-f.mean(set, base)))
			}
			if row, err = overPoints(row); err != nil {
				return nil, err
			}
			if places[name] == nil {
				changes = append(changes, name)
			}
			places[name] = append(places[name], row)
		}
	}
	slices.SortStableFunc(changes, func(p, q string) int { return -cmp.Compare(places[p][0].Mean, places[q][0].Mean) })
	var rows []plotting.IntervalRow
	for _, c := range changes {
		rows = append(rows, places[c]...)
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.AUCDifferences("One change at a time", rows)
}

var errFewSets = errors.New("ranks need two sets with all settings at least")

// ranksPlot draws average ranks over sets, or what else the lines are called, the Web sets averaged into one.
func ranksPlot(methods []string, lines string, sets []string, values [][]float64) (*plotting.Figure, error) {
	_, merged := mergeWeb(sets, values)
	title := fmt.Sprintf("Average ranks over %d %s", len(merged), lines)
	if len(merged) < len(values) {
		title += ", Web averaged into one"
	}
	values = merged
	if len(values) < 2 {
		return nil, errFewSets
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

func poolingRanks(a results.Archive) (*plotting.Figure, error) {
	g, err := poolingGrid(a.Results)
	if err != nil {
		return nil, err
	}
	sets, values := g.means(g.single())
	return ranksPlot(g.single(), "sets", sets, values)
}

// learnersMap draws the AUC of every learner on every set, or with the Web sets averaged into one.
func learnersMap(a results.Archive, merged bool) (*plotting.Figure, error) {
	g, err := learnerGrid(a.Results)
	if err != nil {
		return nil, err
	}
	if len(g.lines) == 0 {
		return nil, errIncomplete
	}
	auc := make([][]float64, len(g.lines))
	for i, set := range g.lines {
		for _, learner := range g.columns {
			mean := math.NaN()
			if r, there := g.cells[set][learner]; there {
				mean = r.Mean
			}
			auc[i] = append(auc[i], mean)
		}
	}
	sets := g.lines
	if merged {
		sets, auc = mergeWeb(sets, auc)
	}
	return plotting.AUCTable("AUC of every learner; inner folds choose its settings", sets, g.columns, auc)
}

func learnerRanks(a results.Archive) (*plotting.Figure, error) {
	g, err := learnerGrid(a.Results)
	if err != nil {
		return nil, err
	}
	columns, names, values := g.overFamilies()
	return ranksPlot(columns, "families of sets", names, values)
}

func iterationRanks(a results.Archive) (*plotting.Figure, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return nil, err
	}
	steps, sets := f.common()
	var names []string
	for _, s := range steps {
		names = append(names, "I = "+integer(s))
	}
	return ranksPlot(names, "sets", sets, f.table(sets, steps))
}

// stepsPlot draws what each step from the honest protocol to the published one does, from the Syn that was described on, for
// the softmax that the published program ran; or the same on shuffled labels.
func stepsPlot(a results.Archive, title string, shuffled bool) (*plotting.Figure, error) {
	all, err := pooledTable(a.Results)
	if err != nil {
		return nil, err
	}
	g := newGrid(all, publishedKey)
	var rows []plotting.IntervalRow
	for _, set := range slices.SortedFunc(slices.Values(g.lines), mil.CompareNatural) {
		for _, s := range softmaxSteps() {
			if shuffled {
				if s.suffix != "" {
					continue
				}
				s.suffix = shuffledSuffix
			}
			if r, there := g.cells[set][s.key()]; there {
				if s.setting == "softmax" && s.protocol == cv.HonestProtocol {
					s.name = "softmax (empty loop), honest"
				}
				row := charts.Row(r, set, s.name)
				if shuffled {
					row.Over = "shuffles"
				}
				rows = append(rows, row)
			}
		}
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.AUCIntervals(title, rows)
}

// iterationsPlot draws the AUC against I, one curve per set.
func iterationsPlot(a results.Archive) (*plotting.Figure, error) {
	rows, err := pooledTable(a.Results)
	if err != nil {
		return nil, err
	}
	var points []sweepPoint
	for _, r := range rows {
		c, err := configOf(r.Config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Set, err)
		}
		points = append(points, sweepPoint{r.Set, float64(c.Iterations), r})
	}
	return sweepPlot("Concentration (I > 0) and distraction (I < 0)", points, "Syn steps I", plotting.Linear)
}

// noisePlot draws the lead of concentration under each noise: a mean over sets, and the sets.
func noisePlot(a results.Archive) (*plotting.Figure, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return nil, err
	}
	var rows []plotting.IntervalRow
	for _, group := range noiseGroups {
		order, bases, at := noises(slices.DeleteFunc(f.complete(f.settings), group.outside))
		for _, p := range order {
			row := plotting.IntervalRow{Set: p.String(), Setting: group.name, Over: "sets"}
			for _, set := range bases {
				if name, found := at[p][set]; found {
					row.Points = append(row.Points, round(stat.Mean(lead(f, name), nil)))
				}
			}
			if row, err = overPoints(row); err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 || f.settings[0] >= 0 || f.settings[len(f.settings)-1] <= 0 {
		return nil, errIncomplete
	}
	return plotting.AUCDifferences("Does noise favour concentration? Mean AUC over I > 0 less that over I < 0", rows)
}

// leadPlot draws what noise adds to the lead of concentration over distraction: a mean over the sets of a group, and the sets.
func leadPlot(a results.Archive) (*plotting.Figure, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return nil, err
	}
	if !twoSided(f.settings) {
		return nil, errIncomplete
	}
	sets := f.complete(f.settings)
	var rows []plotting.IntervalRow
	for _, group := range append(slices.Clone(noiseGroups), noiseGroup{name: "All sets", outside: func(string) bool { return false }}) {
		bases, moved := leadMoves(f, slices.DeleteFunc(slices.Clone(sets), group.outside))
		if len(bases) == 0 {
			continue
		}
		row := plotting.IntervalRow{Set: group.name, Setting: "with noise less without", Over: "sets"}
		for _, set := range bases {
			row.Points = append(row.Points, round(stat.Mean(moved[set], nil)))
		}
		if row, err = overPoints(row); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.AUCDifferences("What noise adds to the lead of concentration", rows)
}

// overPoints gives a row the mean of its points and its interval.
func overPoints(row plotting.IntervalRow) (plotting.IntervalRow, error) {
	row.N = len(row.Points)
	row.Mean = stat.Mean(row.Points, nil)
	row.Low, row.High = row.Mean, row.Mean
	if row.N < 2 {
		return row, nil
	}
	var err error
	_, row.Low, row.High, err = stats.MeanInterval(row.Points, results.Level)
	return row, err
}

// witnessPlot draws the AUC of bags, or of instances, against the witness rate, a curve a setting: of Syn the strongest
// distraction, no steps and the strongest concentration.
func witnessPlot(a results.Archive, instances bool) (*plotting.Figure, error) {
	title := "How few instances may tell"
	tabulate := pooledTable
	if instances {
		tabulate = instanceRows
		title = "Do the weights find the instances that tell? AUC within positive bags"
		a.Results = slices.DeleteFunc(slices.Clone(a.Results), func(r results.Result) bool { return r.InstanceAUC == nil })
		if len(a.Results) == 0 {
			return nil, errors.New("the AUCs of instances were not kept")
		}
	}
	rows, err := tabulate(a.Results)
	if err != nil {
		return nil, err
	}
	low, high := 0, 0
	configs := make([]config, len(rows))
	for i, r := range rows {
		if configs[i], err = configOf(r.Config); err != nil {
			return nil, fmt.Errorf("%s: %w", r.Set, err)
		}
		low, high = min(low, configs[i].Iterations), max(high, configs[i].Iterations)
	}
	var points []sweepPoint
	for i, r := range rows {
		rate, err := witnessRate(r.Set)
		if err != nil {
			return nil, err
		}
		if n := configs[i].Iterations; n == 0 || n == low || n == high {
			points = append(points, sweepPoint{configs[i].withScale(), rate, r})
		}
	}
	return sweepPlot(title, points, "Witness rate", plotting.Logarithmic)
}

// instanceRows are rows with the AUC of instances, one figure per drawing, instead of that of bags.
func instanceRows(fits []results.Result) ([]results.Row, error) {
	t, err := tabulate(fits)
	if err != nil {
		return nil, err
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Values, r.N, r.SD, r.Low, r.High = []float64{*r.InstanceAUC}, 1, nil, nil, nil
	}
	return pooled(t.Rows)
}

// sweepPoint is a row on a curve.
type sweepPoint struct {
	curve string
	x     float64
	row   results.Row
}

// sweepPlot draws the AUC of rows against a number.
func sweepPlot(title string, list []sweepPoint, axis string, scale plotting.Scale) (*plotting.Figure, error) {
	points := make(map[string][]sweepPoint)
	var names []string
	for _, p := range list {
		if points[p.curve] == nil {
			names = append(names, p.curve)
		}
		points[p.curve] = append(points[p.curve], p)
	}
	if len(names) == 0 {
		return nil, errIncomplete
	}
	var curves []plotting.SweepCurve
	for _, name := range names {
		slices.SortFunc(points[name], func(p, q sweepPoint) int { return cmp.Compare(p.x, q.x) })
		c := plotting.SweepCurve{Name: name}
		for _, p := range points[name] {
			c.X, c.Mean = append(c.X, p.x), append(c.Mean, p.row.Mean)
			if p.row.Low != nil && p.row.High != nil {
				c.Low, c.High = append(c.Low, *p.row.Low), append(c.High, *p.row.High)
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
func winnersPlot(a results.Archive) (*plotting.Figure, error) {
	if len(a.Curves) == 0 {
		return nil, errors.New("the curves were not kept")
	}
	set := a.Curves[0].Set
	byNumber := make(map[int]results.MeanCurve)
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
			curves = append(curves, plotting.TransferCurve{Name: "I = " + integer(i), Rate: [][]float64{c.WinnersChanged}})
		}
	}
	return plotting.WinnerTransfers("Winners that change, "+set, curves)
}
