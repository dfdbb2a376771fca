package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// iterationStudy is the experiment iterations, of Tables 4 and 5 and Figure 6.
type iterationStudy struct {
	figures[int]
	Steps  []int    // the values of I that more than half of the sets have
	on     []string // the sets that have all of these
	sweeps []sweep  // of each of them
	least  map[string]map[int]float64

	Concentration, Distraction []tested // on each of them the mean AUC over I > 0, and over I < 0, less that at I = 0
}

func newIterations(a results.Archive) iterationStudy {
	s := iterationStudy{figures: newFigures(a.Results, config.steps), least: make(map[string]map[int]float64)}
	for _, c := range a.Curves {
		if s.least[c.Set] == nil {
			s.least[c.Set] = make(map[int]float64)
		}
		s.least[c.Set][must(decode(c.Config)).Iterations] = c.Least
	}
	for _, i := range s.settings {
		if 2*len(s.complete(i)) > len(s.sets) {
			s.Steps = append(s.Steps, i)
		}
	}
	need(twoSided(s.Steps))
	s.on = s.complete(s.Steps...)
	need(len(s.on) > 0)
	for _, set := range s.on {
		s.sweeps = append(s.sweeps, s.sweep(set, s.Steps))
	}
	if slices.Contains(s.Steps, 0) {
		s.test()
	}
	return s
}

// twoSided reports whether values of I, in order, are of distraction and of concentration.
func twoSided(steps []int) bool {
	return len(steps) > 0 && steps[0] < 0 && steps[len(steps)-1] > 0
}

// sweep is the mean AUC over values of I on one set, and the least share of winners that changed.
type sweep struct {
	steps []int
	auc   []float64
	least []float64 // NaN if it was not kept
}

func (s iterationStudy) sweep(set string, steps []int) sweep {
	one := sweep{steps: steps}
	for _, i := range steps {
		lowest, kept := s.least[set][i]
		if !kept {
			lowest = math.NaN()
		}
		one.auc, one.least = append(one.auc, s.mean(set, i)), append(one.least, lowest)
	}
	return one
}

// kept reports whether the changes of winners were kept.
func (s sweep) kept() bool { return !slices.ContainsFunc(s.least, math.IsNaN) }

// shares returns which shares of the best (the worst, times -1) means are of concentration and of distraction: means that are
// equal share.
func (s sweep) shares(times float64) (concentration, distraction float64) {
	at := extremes(s.auc, times)
	for _, i := range at {
		switch cmp.Compare(s.steps[i], 0) {
		case 1:
			concentration += 1 / float64(len(at))
		case -1:
			distraction += 1 / float64(len(at))
		}
	}
	return concentration, distraction
}

// lead returns the mean of values over I < 0 less that over I > 0.
func (s sweep) lead(values []float64) float64 {
	concentration, distraction, _ := sidesOf(s.steps, values)
	return distraction - concentration
}

// sidesOf returns the means of values over I > 0, over I < 0 and at 0.
func sidesOf(steps []int, values []float64) (concentration, distraction, none float64) {
	var sides [3][]float64
	for i, v := range values {
		at := 1 + cmp.Compare(steps[i], 0)
		sides[at] = append(sides[at], v)
	}
	return mean(sides[2]), mean(sides[0]), mean(sides[1])
}

// ranks returns the ranks of the means; the best has rank 1.
func (s sweep) ranks() []float64 { return must(stats.AverageRanks([][]float64{s.auc})) }

// tau is Kendall's τ-b of changes and AUCs.
func (s sweep) tau() float64 { return kendall(s.least, s.auc) }

// kendall is Kendall's τ-b, NaN where all values of one side are equal, so that there is none.
func kendall(x, y []float64) float64 {
	tau, err := stats.Kendall(x, y)
	if errors.Is(err, stats.ErrAllEqual) {
		return math.NaN()
	}
	return must(tau, err)
}

// stepNames names the values of I at some places.
func stepNames(steps, at []int) string {
	var names []string
	for _, i := range at {
		names = append(names, integer(steps[i]))
	}
	return strings.Join(names, ", ")
}

// sides returns, of every fold of a set, the mean AUC over I > 0, over I < 0 and at 0.
func sides(f figures[int], set string, steps []int) (concentration, distraction, none []float64) {
	for i := range f.keys[set] {
		var values []float64
		for _, s := range steps {
			values = append(values, f.folds[set][s][i])
		}
		more, fewer, zero := sidesOf(steps, values)
		concentration, distraction, none = append(concentration, more), append(distraction, fewer), append(none, zero)
	}
	return concentration, distraction, none
}

// test tests each set, with Holm's correction for both sides of all of them.
func (s *iterationStudy) test() {
	for _, set := range s.on {
		concentration, distraction, none := sides(s.figures, set, s.Steps)
		s.Concentration = append(s.Concentration, pairedT(set, concentration, none, s.ratio[set]))
		s.Distraction = append(s.Distraction, pairedT(set, distraction, none, s.ratio[set]))
	}
	corrected(s.Concentration, s.Distraction)
}

func concentrationHelps(s iterationStudy) answer {
	return acrossSets(differences(s.Concentration)).answer()
}

func distractionHelps(s iterationStudy) answer {
	return acrossSets(differences(s.Distraction)).answer()
}

// Table has a line for each set, and another for one with more values of I.
func (s iterationStudy) Table() string {
	var rows [][]string
	for _, set := range s.sets {
		own := without(s.settings, func(i int) bool { return !s.has(set, i) })
		if s.has(set, s.Steps...) {
			rows = append(rows, s.sweep(set, s.Steps).row(set))
		}
		if twoSided(own) && !slices.Equal(own, s.Steps) {
			rows = append(rows, s.sweep(set, own).row(fmt.Sprintf("%s, its %d values of I", set, len(own))))
		}
	}
	return table([]string{"set", "best I", "AUC", "worst I", "AUC", "AUC at 0", "mean rank of I > 0", "mean rank of I < 0",
		"least change of winners, I > 0", "I = 0", "I < 0", "Kendall's τ-b of change and AUC"}, rows)
}

// row is the line of a table.
func (s sweep) row(name string) []string {
	concentration, distraction, _ := sidesOf(s.steps, s.ranks())
	best, worst := extremes(s.auc, 1), extremes(s.auc, -1)
	_, _, zero := sidesOf(s.steps, s.auc)
	row := []string{name, stepNames(s.steps, best), number(s.auc[best[0]]), stepNames(s.steps, worst), number(s.auc[worst[0]]), number(zero),
		fmt.Sprintf("%.1f", concentration), fmt.Sprintf("%.1f", distraction)}
	if !s.kept() {
		return append(row, "", "", "", "")
	}
	more, fewer, none := sidesOf(s.steps, s.least)
	return append(row, number(more), number(none), number(fewer), signed(s.tau()))
}

// names names the values of I.
func (s iterationStudy) names() (names []string) {
	for _, i := range s.Steps {
		names = append(names, "I = "+integer(i))
	}
	return names
}

// Ranks ranks the values of I.
func (s iterationStudy) Ranks() ranking { return rank(s.names(), "sets", s.on, s.table(s.on, s.Steps)) }

// paperSays are what the paper says of concentration and distraction, the last two of the least changes of winners.
var paperSays = []string{
	"Distraction has the best result more often than concentration (on 80 % of sets; Table 4)",
	"Distraction has the worst result more often than concentration (on 53.3 % of sets; Table 4)",
	"Distraction has the better AUC; mean over I < 0 less that over I > 0",
	"Concentration has the better average rank (Table 5); mean rank of I < 0 less that of I > 0",
	"The winning instance changes more often under distraction (Figure 6); least change at I < 0 less that at I > 0",
	"A higher least change of winners goes with a better AUC (Figure 6); Kendall's τ-b over the values of I",
}

// Asked are the claims of the paper that the sets are asked, the last two only where changes of winners were kept.
func (s iterationStudy) Asked() []string {
	need(len(s.on) > 1)
	if !slices.ContainsFunc(s.sweeps, sweep.kept) {
		return paperSays[:4]
	}
	return paperSays
}

// Claims is a table of what these sets say of the paper's claims. Tests over so few sets decide none of them ([undecidable]).
func (s iterationStudy) Claims() string {
	claims := s.Asked()
	var values [][]float64 // of each set the AUCs, then the changes
	for _, one := range s.sweeps {
		values = append(values, slices.Concat(one.auc, one.least))
	}
	cells := overSets(s.on, values, func(rows [][]float64) []finding {
		var sweeps []sweep
		var gains, ranks, changes, together []float64
		for _, row := range rows {
			one := sweep{s.Steps, row[:len(s.Steps)], row[len(s.Steps):]}
			sweeps, gains, ranks = append(sweeps, one), append(gains, one.lead(one.auc)), append(ranks, one.lead(one.ranks()))
			if one.kept() {
				changes, together = append(changes, one.lead(one.least)), append(together, one.tau())
			}
		}
		findings := []finding{distractionWins(sweeps, 1, 0.8), distractionWins(sweeps, -1, 0.533), shift(gains), shift(ranks), shift(changes), shift(without(together, math.IsNaN))}
		return findings[:len(claims)]
	})
	return verdictTable("claim", s.on, claims, slices.Repeat([]string{cannotTell}, len(claims)), cells)
}

// Cannot says why no test of the paper's claims could have decided.
func (s iterationStudy) Cannot() string { return undecidable(s.on, len(s.Asked())) }

// ChangesMore counts the sets on which winners change more often under distraction, times -1 those on which they change less often.
func (s iterationStudy) ChangesMore(times float64) int {
	need(slices.ContainsFunc(s.sweeps, sweep.kept))
	return len(without(s.sweeps, func(one sweep) bool { return !(times*one.lead(one.least) > 0) }))
}

// distractionWins counts the sets whose best mean (the worst, times -1) is one of distraction, and tests by their signs whether
// it is more often so than of concentration.
func distractionWins(sweeps []sweep, times, paper float64) finding {
	var share float64
	var wins, losses, zero int
	for _, s := range sweeps {
		concentration, distraction := s.shares(times)
		share += distraction
		if concentration+distraction == 0 {
			zero++
		}
		switch cmp.Compare(round(distraction-concentration), 0) {
		case 1:
			wins++
		case -1:
			losses++
		}
	}
	share = round(share)
	low, high, err := stats.ShareInterval(share, len(sweeps), 1-alpha)
	shared := ""
	if zero > 0 {
		shared = fmt.Sprintf(", %d for I = 0", zero)
	}
	if share != math.Trunc(share) {
		shared += "; equal means share a set"
	}
	holds := "without"
	if must(low, err) <= paper && paper <= high {
		holds = "with"
	}
	return finding{must(stats.SignTest(wins, losses)),
		fmt.Sprintf("%s: %.0f %% (%.0f %% to %.0f %%, %s the paper's %.4g %%); %d sets for distraction, %d for concentration%s",
			count(share, len(sweeps)), 100*share/float64(len(sweeps)), 100*low, 100*high, holds, 100*paper, wins, losses, shared)}
}

// iterationsPlot draws the AUC against I, one curve per set.
func iterationsPlot(a opened) *plotting.Figure {
	var points []sweepPoint
	for _, r := range pooledTable(a.Results) {
		points = append(points, sweepPoint{r.Set, float64(must(decode(r.Config)).Iterations), r})
	}
	return sweepPlot("Concentration (I > 0) and distraction (I < 0)", points, "Syn steps I", plotting.Linear)
}

// winnersPlot draws how often the winner changes from epoch to epoch on the first set, for the strongest distraction, no
// steps, and the strongest concentration.
func winnersPlot(a opened) *plotting.Figure {
	if len(a.Curves) == 0 {
		try(errors.New("the curves were not kept"))
	}
	set := a.Curves[0].Set
	byNumber := make(map[int]results.MeanCurve)
	low, high := 0, 0
	for _, c := range a.Curves {
		if i := must(decode(c.Config)).Iterations; c.Set == set {
			byNumber[i] = c
			low, high = min(low, i), max(high, i)
		}
	}
	var curves []plotting.TransferCurve
	for _, i := range slices.Compact([]int{low, 0, high}) {
		if c, ok := byNumber[i]; ok {
			curves = append(curves, plotting.TransferCurve{Name: "I = " + integer(i), Rate: [][]float64{c.WinnersChanged}})
		}
	}
	return must(plotting.WinnerTransfers("Winners that change, "+set, curves))
}
