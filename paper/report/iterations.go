package report

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// iterationStudy is the experiment iterations, of Tables 4 and 5: in both settings of Syn ([config.preset]) one sweep over I whose other
// hyperparameters validation parts choose, and one where the test part chooses them, which is too optimistic.
type iterationStudy struct{ byValidation, byTest map[string]sweepStudy }

func newIterations(a results.Archive) iterationStudy {
	s := iterationStudy{make(map[string]sweepStudy), make(map[string]sweepStudy)}
	for _, preset := range []string{paperPreset, releasedPreset} {
		fits := of(a.Results, func(c config) bool { return c.preset() == preset })
		if len(fits) == 0 {
			continue
		}
		s.byValidation[preset] = newSweeps(chosenPerFold(fits, config.steps))
		s.byTest[preset] = newSweeps(chosenByTest(fits, config.steps))
	}
	need(len(s.byValidation) > 0)
	return s
}

// Chosen is the sweep whose hyperparameters validation parts choose.
func (s iterationStudy) Chosen(preset string) sweepStudy { return sweepsOf(s.byValidation, preset) }

// Optimistic is the sweep whose hyperparameters the test part chooses.
func (s iterationStudy) Optimistic(preset string) sweepStudy { return sweepsOf(s.byTest, preset) }

func sweepsOf(sweeps map[string]sweepStudy, preset string) sweepStudy {
	one, there := sweeps[preset]
	need(there)
	return one
}

// chosenPerFold returns of each fold the result of the setting that its validation part chooses among those of one name.
func chosenPerFold[K comparable](fits []results.Result, name func(config) K) (chosen []results.Result) {
	type choice struct {
		set  string
		fold fold
		name K
	}
	at := make(map[choice]int)
	for _, r := range fits {
		key := choice{r.Set, fold{seed: r.Seed, repeat: r.Repeat, fold: r.Fold}, name(configOf(r))}
		i, there := at[key]
		switch {
		case !there:
			at[key], chosen = len(chosen), append(chosen, r)
		case must(r.ValidationFigures()).Better(must(chosen[i].ValidationFigures())):
			chosen[i] = r
		}
	}
	return chosen
}

// chosenByTest returns of each set the results of the setting that has the best mean on the test parts among those of one name.
func chosenByTest[K cmp.Ordered](fits []results.Result, name func(config) K) (chosen []results.Result) {
	type group struct {
		set  string
		name K
	}
	bySetting := make(map[group]map[string][]results.Result)
	for _, r := range fits {
		key := group{r.Set, name(configOf(r))}
		if bySetting[key] == nil {
			bySetting[key] = make(map[string][]results.Result)
		}
		setting := canonical(r.Config)
		bySetting[key][setting] = append(bySetting[key][setting], r)
	}
	keys := slices.SortedFunc(maps.Keys(bySetting), func(a, b group) int { return cmp.Or(cmp.Compare(a.set, b.set), cmp.Compare(a.name, b.name)) })
	for _, key := range keys {
		var best []results.Result
		highest := math.Inf(-1)
		for _, setting := range slices.Sorted(maps.Keys(bySetting[key])) {
			var aucs []float64
			for _, r := range bySetting[key][setting] {
				aucs = append(aucs, must(r.Figure()))
			}
			if m := mean(aucs); m > highest {
				best, highest = bySetting[key][setting], m
			}
		}
		chosen = append(chosen, best...)
	}
	return chosen
}

// sweepStudy is one sweep over I on several sets.
type sweepStudy struct {
	figures[int]
	Steps  []int    // the values of I that more than half of the sets have
	on     []string // the sets that have all of these
	sweeps []sweep  // of each of them

	concentration, distraction []float64 // on each of them the mean AUC over I > 0, and over I < 0, less that at I = 0
}

func newSweeps(fits []results.Result) sweepStudy {
	s := sweepStudy{figures: newFigures(fits, config.steps)}
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
		s.compare()
	}
	return s
}

// twoSided reports whether values of I, in order, are of distraction and of concentration.
func twoSided(steps []int) bool {
	return len(steps) > 0 && steps[0] < 0 && steps[len(steps)-1] > 0
}

// sweep is the mean AUC over values of I on one set.
type sweep struct {
	steps []int
	auc   []float64
}

func (s sweepStudy) sweep(set string, steps []int) sweep {
	one := sweep{steps: steps}
	for _, i := range steps {
		one.auc = append(one.auc, s.mean(set, i))
	}
	return one
}

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

// compare compares both sides with none on each set.
func (s *sweepStudy) compare() {
	for _, set := range s.on {
		concentration, distraction, none := sides(s.figures, set, s.Steps)
		s.concentration = append(s.concentration, mean(less(concentration, none)))
		s.distraction = append(s.distraction, mean(less(distraction, none)))
	}
}

// concentrationHelps says what the mean over I > 0 is worth over I = 0 with the hyperparameters that validation parts choose.
func concentrationHelps(preset string) func(iterationStudy) answer {
	return func(s iterationStudy) answer {
		chosen := s.Chosen(preset)
		return acrossFamilies(chosen.on, chosen.concentration).answer()
	}
}

// distractionHelps says the same of I < 0.
func distractionHelps(preset string) func(iterationStudy) answer {
	return func(s iterationStudy) answer {
		chosen := s.Chosen(preset)
		return acrossFamilies(chosen.on, chosen.distraction).answer()
	}
}

// Table has a line for each set.
func (s sweepStudy) Table() string {
	var rows [][]string
	for i, set := range s.on {
		rows = append(rows, s.sweeps[i].row(set))
	}
	return table([]string{"set", "best I", "AUC", "worst I", "AUC", "AUC at 0", "mean rank of I > 0", "mean rank of I < 0"}, rows)
}

// row is the line of a table.
func (s sweep) row(name string) []string {
	concentration, distraction, _ := sidesOf(s.steps, s.ranks())
	best, worst := extremes(s.auc, 1), extremes(s.auc, -1)
	_, _, zero := sidesOf(s.steps, s.auc)
	return []string{name, stepNames(s.steps, best), number(s.auc[best[0]]), stepNames(s.steps, worst), number(s.auc[worst[0]]), number(zero),
		fmt.Sprintf("%.1f", concentration), fmt.Sprintf("%.1f", distraction)}
}

// names names the values of I.
func (s sweepStudy) names() (names []string) {
	for _, i := range s.Steps {
		names = append(names, "I = "+integer(i))
	}
	return names
}

// Ranks ranks the values of I.
func (s sweepStudy) Ranks() ranking { return rank(s.names(), s.families()) }

// families are the means at the values of I, a row for each family of sets.
func (s sweepStudy) families() [][]float64 {
	_, merged := merge(s.on, s.table(s.on, s.Steps), familyOf)
	return merged
}

// paperSays are what the paper says of concentration and distraction in Tables 4 and 5.
var paperSays = []string{
	"Distraction has the best result more often than concentration (on 80 % of sets; Table 4)",
	"Distraction has the worst result more often than concentration (on 53.3 % of sets; Table 4)",
	"Distraction has the better AUC; mean over I < 0 less that over I > 0",
	"Concentration has the better average rank (Table 5); mean rank of I < 0 less that of I > 0",
}

// Claims is a table of what these sets say of the paper's claims: shares of sets, with Web as one, and means over families of sets.
func (s sweepStudy) Claims() string {
	var values [][]float64 // the AUCs of each set
	var gains, ranks []float64
	for _, one := range s.sweeps {
		values = append(values, one.auc)
		gains, ranks = append(gains, one.lead(one.auc)), append(ranks, one.lead(one.ranks()))
	}
	_, merged := mergeWeb(s.on, values)
	need(len(merged) > 1)
	var sweeps []sweep
	for _, row := range merged {
		sweeps = append(sweeps, sweep{s.Steps, row})
	}
	rows := [][]string{distractionWins(sweeps, 1), distractionWins(sweeps, -1)}
	for _, differences := range [][]float64{gains, ranks} {
		e := acrossFamilies(s.on, differences)
		rows = append(rows, []string{e.Mean(), e.Interval()})
	}
	for i := range rows {
		rows[i] = append([]string{paperSays[i]}, rows[i]...)
	}
	return wordTable([]string{"claim", "here", "95 % interval"}, rows)
}

// distractionWins says on how many sets the best mean (the worst, times -1) is one of distraction, with the interval of the share.
func distractionWins(sweeps []sweep, times float64) []string {
	var share float64
	for _, s := range sweeps {
		_, distraction := s.shares(times)
		share += distraction
	}
	share = round(share)
	low, high, err := stats.ShareInterval(share, len(sweeps), 1-alpha)
	return []string{fmt.Sprintf("%.0f %%", 100*share/float64(len(sweeps))), fmt.Sprintf("%.0f %% to %.0f %%, %s sets", 100*must(low, err), 100*high, count(share, len(sweeps)))}
}

// iterationsPlot draws the AUC against I in both settings, mean over families of sets.
func iterationsPlot(s iterationStudy) *plotting.Figure {
	var curves []plotting.SweepCurve
	for _, preset := range []string{paperPreset, releasedPreset} {
		one, there := s.byValidation[preset]
		if !there {
			continue
		}
		c := plotting.SweepCurve{Name: preset}
		families := one.families()
		for k, i := range one.Steps {
			c.X, c.Mean = append(c.X, float64(i)), append(c.Mean, mean(column(families, k)))
		}
		curves = append(curves, c)
	}
	return must(plotting.Sweep("Concentration (I > 0) and distraction (I < 0)", "Syn steps I", "AUC", curves))
}
