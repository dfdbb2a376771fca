package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// The columns of what the validation parts choose among several poolings.
const (
	anyModel   = "any"         // among all
	anyNetwork = "any network" // but the classifier of instances
)

// instancePooling is the pooling of the classifier of instances.
const instancePooling = "instance"

// paperSuffix marks the columns of Syn and softmax with the setting of the paper.
const paperSuffix = " (paper)"

// column is the learner or the pooling, and of Syn and softmax whether they have the setting of the paper.
func (c config) column() string {
	if (c.Pooling == "syn" || c.Pooling == "softmax") && c.preset() == paperPreset {
		return c.Pooling + paperSuffix
	}
	return cmp.Or(c.Learner, c.Pooling)
}

func poolingOf(r results.Row) string {
	name, _, _ := strings.Cut(r.Setting, " ")
	return name
}

// poolingStudy is the experiment poolings, of Table 1: a line for each set and a column for each pooling and for what is chosen
// among several.
type poolingStudy struct {
	literary
	fits   []results.Result
	names  map[string]settingName // of settings
	single []string               // the columns of single poolings
}

func newPoolings(a results.Archive) poolingStudy {
	fits := a.Results
	inPaper := func(c config) bool { return c.column() != cmp.Or(c.Learner, c.Pooling) }
	g := newGrid(tabulate(of(fits, func(c config) bool { return !inPaper(c) })).Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) })
	g.add(tabulate(of(fits, inPaper)).Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) + paperSuffix })
	single := slices.Clone(g.columns)
	g.addBest(of(fits, func(c config) bool { return c.Pooling != instancePooling }), anyNetwork)
	g.addBest(fits, anyModel)
	slices.SortFunc(g.lines, mil.CompareNatural)
	return poolingStudy{literary{g, choicesOf(fits), []string{anyModel, anyNetwork}}, fits, settingNames(fits), single}
}

// Means is the table of the grid.
func (s poolingStudy) Means() string { return s.show("set", meanSDSE) }

// Ranks ranks the poolings over families of sets.
func (s poolingStudy) Ranks() ranking { return rank(s.single, s.families()) }

// families are the means of the poolings, a row for each family of sets.
func (s poolingStudy) families() [][]float64 {
	sets, values := s.means(s.single...)
	_, merged := merge(sets, values, familyOf)
	return merged
}

// Wins says on how many sets which poolings have the best mean; equal means share a set.
func (s poolingStudy) Wins() string {
	_, values := s.means(s.single...)
	wins := make([]float64, len(s.single))
	for _, row := range values {
		best := extremes(row, 1)
		for _, i := range best {
			wins[i] += 1 / float64(len(best))
		}
	}
	var won []string
	for i, name := range s.single {
		if wins[i] > 0 {
			won = append(won, name+" on "+count(round(wins[i]), len(values)))
		}
	}
	return listed(won)
}

// bestPooling says whether the pooling with the best average rank is ahead of all others, whose settings and epochs validation parts choose.
func bestPooling(s poolingStudy) answer {
	need(len(s.single) > 1)
	var ranked []string
	for _, i := range byRank(averageRanks(s.families())) {
		ranked = append(ranked, s.single[i])
	}
	return s.standing(ranked).answer
}

// networksBeatInstances compares what validation parts choose among all networks and among the instance classifiers.
func networksBeatInstances(s poolingStudy) answer {
	return s.lead(anyNetwork, instancePooling).answer()
}

// Chosen has a line for each pooling: how many settings it has, and which the validation parts chose most often.
func (s poolingStudy) Chosen() string {
	var rows [][]string
	for _, pooling := range s.single {
		chosenIn := make(map[string]int) // how many fits, by setting
		total := 0
		for _, set := range s.lines {
			r := s.cells[set][pooling]
			chosen := r.Chosen
			if len(chosen) == 0 && r.Config != nil {
				chosen = []results.Chosen{{Config: r.Config, Fits: r.N * r.FoldsRun}}
			}
			for _, c := range chosen {
				chosenIn[s.names[canonical(c.Config)].differs] += c.Fits
				total += c.Fits
			}
		}
		most, n := []string(nil), 0
		for _, text := range slices.Sorted(maps.Keys(chosenIn)) {
			switch {
			case chosenIn[text] > n:
				most, n = []string{text}, chosenIn[text]
			case chosenIn[text] == n:
				most = append(most, text)
			}
		}
		rows = append(rows, []string{pooling, fmt.Sprint(s.tried(pooling)), strings.Join(most, "; "), count(float64(n), total)})
	}
	return table([]string{"pooling", "settings tried", "most often chosen", "folds"}, rows)
}

// tried counts the settings of a pooling.
func (s poolingStudy) tried(pooling string) (n int) {
	for _, name := range s.names {
		if name.pooling == pooling {
			n++
		}
	}
	return n
}

// Learnt says for each number of folds that sets were cut into from which share of the bags a fit learns, four fifths of the
// training part.
func (s poolingStudy) Learnt() string {
	shares := make(map[int]string)
	for _, r := range s.fits {
		if r.Folds > 1 {
			shares[r.Folds] = fmt.Sprintf("with %d folds from %.0f %%", r.Folds, 80*(1-1/float64(r.Folds)))
		}
	}
	var list []string
	for _, n := range slices.Sorted(maps.Keys(shares)) {
		list = append(list, shares[n])
	}
	return listed(list)
}

// columnIntervals draws the cells of a grid, whose values are of repeats or of shuffles.
func columnIntervals(title string, g grid, over string) *plotting.Figure {
	var rows []results.Row
	for _, set := range g.lines {
		for _, column := range g.columns {
			if r, there := g.cells[set][column]; there {
				r.Set, r.Setting = set, column
				rows = append(rows, r)
			}
		}
	}
	return intervals(title, rows, over, func(r results.Row) string { return r.Setting })
}
