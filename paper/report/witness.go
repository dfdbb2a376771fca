package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench/results"
	"synpool/plotting"
)

// found is the AUC from which on a setting is said to find what tells.
const found = 0.9

const needlePrefix = "needle-"

// witnessStudy is the experiment witness: a line for each setting and a column for each witness rate.
type witnessStudy struct {
	grid
	figures[string]
	Scales []float64 // of Syn, in order
}

func newWitness(a results.Archive) witnessStudy {
	s := witnessStudy{figures: newFigures(a.Results, config.withScale)}
	rows := pooledTable(a.Results)
	slices.SortStableFunc(rows, func(x, y results.Row) int { return cmp.Compare(witnessRate(x.Set), witnessRate(y.Set)) })
	s.grid = newGrid(rows, func(r results.Row) (string, string) {
		return rowNamed(config.withScale)(r), strings.TrimPrefix(r.Set, needlePrefix)
	})
	for _, r := range a.Results {
		if c := configOf(r); c.Pooling == "syn" && !slices.Contains(s.Scales, c.Scale) {
			s.Scales = append(s.Scales, c.Scale)
		}
	}
	slices.Sort(s.Scales)
	return s
}

// witnessRate returns the rate in the name of a set.
func witnessRate(set string) float64 {
	name, _ := drawingOf(set)
	text, found := strings.CutPrefix(name, needlePrefix)
	rate, err := strconv.ParseFloat(text, 64)
	if !found || err != nil || !(rate > 0) {
		try(fmt.Errorf("%s: no witness rate in the name of the set; names are needle-RATE", set))
	}
	return rate
}

// from returns the place of the least witness rate from which on all rows of a line are as said, that after the last if there is none.
func (s witnessStudy) from(line string, is func(results.Row) bool) int {
	place := len(s.columns)
	for at, column := range slices.Backward(s.columns) {
		r, there := s.cells[line][column]
		if there && !is(r) {
			break
		}
		if there {
			place = at
		}
	}
	return place
}

// finds reports whether the mean AUC of a row is [found].
func finds(r results.Row) bool { return round(r.Mean) >= found }

// Reached lists from which witness rate on each setting's mean AUC is [found], the lines of one rate together.
func (s witnessStudy) Reached() string {
	var list []string
	for at := range len(s.columns) + 1 {
		where := "nowhere"
		if at < len(s.columns) {
			where = "from a rate of " + s.columns[at] + " on"
		}
		if lines := without(s.lines, func(line string) bool { return s.from(line, finds) != at }); len(lines) > 0 {
			list = append(list, "- "+where+": "+strings.Join(lines, "; ")+".")
		}
	}
	return strings.Join(list, "\n")
}

// compare adds the test of a setting less another one on a set, if the set has both and has drawings enough; cells say what is compared.
func (s witnessStudy) compare(list []tested, set string, a, b config, cells ...string) []tested {
	x, y := s.folds[set][a.withScale()], s.folds[set][b.withScale()]
	if min(len(x), len(y)) < 2 {
		return list
	}
	name := strings.Join(append([]string{strings.TrimPrefix(set, needlePrefix)}, cells...), " | ")
	return append(list, pairedT(name, x, y, s.ratio[set]))
}

// Steps compares I = ±3 and ±5 with 0 at every rate and scale.
func (s witnessStudy) Steps() (list []tested) {
	for _, set := range s.sets {
		for _, scale := range s.Scales {
			for _, i := range []int{-5, -3, 3, 5} {
				list = s.compare(list, set, config{Pooling: "syn", Iterations: i, Scale: scale}, config{Pooling: "syn", Scale: scale}, short(scale), integer(i))
			}
		}
	}
	corrected(list)
	return list
}

// Smaller compares the least scale with the largest, without steps, at every rate.
func (s witnessStudy) Smaller() (list []tested) {
	need(len(s.Scales) > 1)
	for _, set := range s.sets {
		list = s.compare(list, set, config{Pooling: "syn", Scale: s.Scales[0]}, config{Pooling: "syn", Scale: s.Scales[len(s.Scales)-1]})
	}
	corrected(list)
	return list
}

// leastRate says from which witness rate on settings find what tells: the estimate is that of the best one, which stands between
// the largest rate whose interval lies under [found] and the least from which on all lie above it.
func leastRate(s witnessStudy) answer {
	need(len(s.columns) > 0)
	best, at := "", len(s.columns)
	for _, line := range s.lines {
		for _, column := range s.columns {
			need(s.cells[line][column].Low != nil)
		}
		own := s.from(line, finds)
		if own < at || best != "" && own == at && s.cells[line][s.columns[own]].Mean > s.cells[best][s.columns[own]].Mean {
			best, at = line, own
		}
	}
	if best == "" {
		most := s.columns[len(s.columns)-1]
		return answer{Verdict: "More than " + most, Estimate: "above " + most}
	}
	under, over := "", "no upper limit"
	for _, column := range s.columns {
		if rowBeside(s.cells[best][column], found) < 0 {
			under = "above " + column + ", "
		}
	}
	if sure := s.from(best, func(r results.Row) bool { return *r.Low >= found }); sure < len(s.columns) {
		over = "at most " + s.columns[sure]
	}
	return answer{
		Verdict:  fmt.Sprintf("%s (%s)", s.columns[at], best),
		Estimate: s.columns[at],
		of:       "share of instances, best pooling",
		Interval: fmt.Sprintf("%s%s, %d drawings", under, over, s.cells[best][s.columns[at]].N),
	}
}

// Needs says which rate a pooling needs; of Syn at one scale, "Syn with S = 1", from which to which of its values of I.
func (s witnessStudy) Needs(pooling string) string {
	var reach []int // places among the rates
	for _, line := range s.lines {
		name := line
		if _, scale, syn := strings.Cut(line, ", "); syn {
			name = "Syn with " + scale
		}
		if name == pooling {
			reach = append(reach, s.from(line, finds))
		}
	}
	need(len(reach) > 0)
	switch low, high, none := slices.Min(reach), slices.Max(reach), len(s.columns); {
	case low == none:
		return "more than " + s.columns[none-1]
	case high == none:
		return s.columns[low] + " or more"
	case low != high:
		return s.columns[low] + " to " + s.columns[high]
	default:
		return s.columns[low]
	}
}

// witnessPlot draws the AUC of bags, or of instances, against the witness rate, a curve a setting: of Syn the strongest
// distraction, no steps and the strongest concentration.
func witnessPlot(instances bool) func(opened) *plotting.Figure {
	return func(a opened) *plotting.Figure {
		title, rows := "How few instances may tell", []results.Row(nil)
		if instances {
			title = "Do the weights find the instances that tell? AUC within positive bags"
			rows = instanceRows(without(a.Results, func(r results.Result) bool { return r.InstanceAUC == nil }))
		} else {
			rows = pooledTable(a.Results)
		}
		low, high := 0, 0
		for _, r := range rows {
			i := must(decode(r.Config)).Iterations
			low, high = min(low, i), max(high, i)
		}
		var points []sweepPoint
		for _, r := range rows {
			if c := must(decode(r.Config)); c.Iterations == 0 || c.Iterations == low || c.Iterations == high {
				points = append(points, sweepPoint{c.withScale(), witnessRate(r.Set), r})
			}
		}
		return sweepPlot(title, points, "Witness rate", plotting.Logarithmic)
	}
}

// instanceRows are rows with the AUC of instances, one figure per drawing, instead of that of bags.
func instanceRows(fits []results.Result) []results.Row {
	if len(fits) == 0 {
		try(errors.New("the AUCs of instances were not kept"))
	}
	rows := tabulate(fits).Rows
	for i := range rows {
		r := &rows[i]
		r.Values, r.SD, r.Low, r.High = []float64{*r.InstanceAUC}, nil, nil, nil
	}
	return pooled(rows)
}
