package report

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// gained is what an ensemble gains on a set over the mean of its own members.
type gained struct {
	set, setting         string
	member, spread, mean float64 // AUC of a member, SD over members, AUC of the ensemble
	test                 stats.CorrectedTTest
	holm                 float64 // p of the test with Holm's correction for all
}

// difference is what is gained.
func (g gained) difference() float64 { return g.mean - g.member }

// gainsOf returns the gains of ensembles whose members' AUCs were kept, and what was left out.
func gainsOf(joined []results.Result) (list []gained, left string, err error) {
	f, err := newFigures(joined, named(config.withMembers))
	if err != nil {
		return nil, "", err
	}
	means, err := measure(joined, named(config.withMembers), func(r results.Result) (float64, error) { return stat.Mean(r.MemberAUC, nil), nil })
	if err != nil {
		return nil, "", err
	}
	spreads, err := measure(joined, named(config.withMembers), func(r results.Result) (float64, error) { return stats.SD(r.MemberAUC) })
	if err != nil {
		return nil, "", err
	}
	var p []float64
	for _, set := range f.sets {
		for _, setting := range f.settings {
			if !f.has(set, []string{setting}) {
				continue
			}
			test, err := pairedT(f.folds[set][setting], means.folds[set][setting], f.ratio[set])
			if errors.Is(err, stats.ErrTooFew) {
				test.P, err = 1, nil
			}
			if err != nil {
				return nil, "", fmt.Errorf("%s, %s: %w", set, setting, err)
			}
			p = append(p, test.P)
			list = append(list, gained{set: set, setting: setting, member: means.mean(set, setting), spread: spreads.mean(set, setting), mean: f.mean(set, setting), test: test})
		}
	}
	if len(list) == 0 {
		return nil, f.noted(), nil
	}
	holm, err := stats.Holm(p)
	for i := range holm {
		list[i].holm = holm[i]
	}
	return list, f.noted(), err
}

// shown counts the gains and losses that the tests show.
func shown(list []gained) (better, worse int) {
	for _, g := range list {
		switch {
		case g.holm >= alpha:
		case g.difference() > 0:
			better++
		default:
			worse++
		}
	}
	return better, worse
}

// joinedOf returns the results of ensembles, and whether the AUCs of their members were kept.
func joinedOf(fits []results.Result) (joined []results.Result, kept bool, err error) {
	kept = true
	for _, r := range fits {
		c, err := configOf(r.Config)
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", r.Set, err)
		}
		if c.Members > 0 {
			joined = append(joined, r)
			kept = kept && len(r.MemberAUC) > 1
		}
	}
	return joined, kept, nil
}

// ensemblesHelp says what the mean of several networks' scores gains over one, mean over the settings of each set.
func ensemblesHelp(a results.Archive) (answer, error) {
	joined, kept, err := joinedOf(a.Results)
	if err != nil {
		return answer{}, err
	}
	if !kept {
		return answer{}, errIncomplete
	}
	list, _, err := gainsOf(joined)
	if err != nil {
		return answer{}, err
	}
	var sets []string
	of := make(map[string][]float64)
	for _, g := range list {
		if of[g.set] == nil {
			sets = append(sets, g.set)
		}
		of[g.set] = append(of[g.set], g.difference())
	}
	var differences []float64
	for _, set := range sets {
		differences = append(differences, stat.Mean(of[set], nil))
	}
	said, err := answered(acrossSets(sets, differences))
	better, worse := shown(list)
	said.more = join(said.more, alone(better, worse, len(list), "ensembles"))
	return said, err
}

// ensembles is the section on means of several networks' scores: every ensemble against the mean of its own members.
func ensembles(a results.Archive) (string, error) {
	joined, kept, err := joinedOf(a.Results)
	if err != nil {
		return "", err
	}
	if !kept {
		rows, err := tabulate(joined)
		if err != nil {
			return "", err
		}
		g := newGrid(rows.Rows, func(r results.Row) (string, string) { return r.Set, rowNamed(config.withMembers)(r) })
		return g.markdown("set") + "The AUCs of members were not kept, so the gain of an ensemble is unknown. Run the experiment into a new folder.\n\n", nil
	}
	list, left, err := gainsOf(joined)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "No ensemble is complete yet.\n\n" + left, nil
	}
	var rows [][]string
	var gains []float64
	for _, g := range list {
		gains = append(gains, g.difference())
		rows = append(rows, []string{g.set + ", " + g.setting, number(g.member) + " ± " + number(g.spread), number(g.mean), signed(g.difference()), pValue(g.test.P), pValue(g.holm)})
	}
	better, worse := shown(list)
	conclusion := "So the tests show no gain."
	switch {
	case better > 0 && worse == 0:
		conclusion = "So the tests show gains and no loss."
	case worse > 0:
		conclusion = "So an ensemble may lose."
	}
	return table([]string{"set, ensemble", "one member, mean ± SD over members", "ensemble", "difference", "corrected resampled t-test", "after Holm"}, rows) +
		fmt.Sprintf("An ensemble gains %s over the mean of its own members, averaged over rows. After Holm's correction for the %d tests it is better in %d and worse in %d. %s\n\n",
			signed(stat.Mean(gains, nil)), len(list), better, worse, conclusion) + left, nil
}

// gainsPlot draws what each ensemble gains over its members, with the interval of the test.
func gainsPlot(a results.Archive) (*plotting.Figure, error) {
	joined, kept, err := joinedOf(a.Results)
	if err != nil {
		return nil, err
	}
	if !kept {
		return nil, errIncomplete
	}
	list, _, err := gainsOf(joined)
	if err != nil {
		return nil, err
	}
	var rows []plotting.ComparedRow
	for _, g := range list {
		row := plotting.ComparedRow{Name: g.set + ", " + g.setting, Difference: g.difference(), Low: g.difference(), High: g.difference()}
		if g.test.SE > 0 {
			if row.Low, row.High, err = g.test.Interval(1 - alpha); err != nil {
				return nil, err
			}
			row.Difference = g.test.Difference
		}
		if row.Same = g.test.SE > 0 && directionOf(row.Low, row.High) == same; !row.Same && g.holm < alpha {
			row.Verdict = sign(row.Difference)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.Comparison("What ten networks gain over one; in colour after Holm's correction", "Difference in AUC (95 % CI of the corrected resampled t-test)", margin, rows)
}
