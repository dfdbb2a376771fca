package report

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/judge"
	"synpool/milbench/results"
)

// ensembles is the section on means of several networks' scores: every ensemble against the mean of its own members.
func ensembles(a results.Archive) (string, error) {
	var joined []results.Result
	kept := true
	for _, r := range a.Results {
		c, err := configOf(r.Config)
		if err != nil {
			return "", fmt.Errorf("%s: %w", r.Set, err)
		}
		if c.Members > 0 {
			joined = append(joined, r)
			kept = kept && len(r.MemberAUC) > 1
		}
	}
	if !kept {
		rows, err := results.Tabulate(joined)
		if err != nil {
			return "", err
		}
		g := newGrid(rows.Rows, func(r results.Row) (string, string) { return r.Set, rowNamed(config.withMembers)(r) })
		return g.markdown("set") + "The AUCs of members were not kept, so that nothing can be said of what an ensemble gains; run it into a new folder.\n\n", nil
	}
	f, err := newFigures(joined, named(config.withMembers))
	if err != nil {
		return "", err
	}
	means, err := measure(joined, named(config.withMembers), func(r results.Result) (float64, error) { return stat.Mean(r.MemberAUC, nil), nil })
	if err != nil {
		return "", err
	}
	spreads, err := measure(joined, named(config.withMembers), func(r results.Result) (float64, error) { return judge.SD(r.MemberAUC) })
	if err != nil {
		return "", err
	}
	var rows [][]string
	var p, gains []float64
	for _, set := range f.sets {
		for _, setting := range f.settings {
			if !f.has(set, []string{setting}) {
				continue
			}
			test, err := pairedT(f.folds[set][setting], means.folds[set][setting], f.ratio[set])
			if errors.Is(err, judge.ErrTooFew) {
				test.P, err = 1, nil
			}
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", set, setting, err)
			}
			d := f.mean(set, setting) - means.mean(set, setting)
			p, gains = append(p, test.P), append(gains, d)
			rows = append(rows, []string{set + ", " + setting, number(means.mean(set, setting)) + " ± " + number(spreads.mean(set, setting)), number(f.mean(set, setting)), signed(d), pValue(test.P)})
		}
	}
	if len(rows) == 0 {
		return "No ensemble is complete yet.\n\n" + f.noted(), nil
	}
	holm, err := judge.Holm(p)
	if err != nil {
		return "", err
	}
	var better, worse int
	for i, d := range gains {
		rows[i] = append(rows[i], pValue(holm[i]))
		switch {
		case holm[i] >= alpha:
		case d > 0:
			better++
		default:
			worse++
		}
	}
	conclusion := "So no gain is shown."
	switch {
	case better > 0 && worse == 0:
		conclusion = "So an ensemble gains where the test tells; a loss is shown nowhere."
	case worse > 0:
		conclusion = "So an ensemble may lose."
	}
	return table([]string{"set, ensemble", "one member, mean ± SD over members", "ensemble", "difference", "corrected resampled t-test", "after Holm"}, rows) +
		fmt.Sprintf("An ensemble gains %s on average over the mean of its own members; after Holm's correction for the %d tests it is better in %d and worse in %d. %s\n\n",
			signed(stat.Mean(gains, nil)), len(p), better, worse, conclusion) + f.noted(), nil
}
