package report

import (
	"slices"

	"synpool/milbench"
	"synpool/milbench/results"
)

// learnerGrid has a line for each set and a column for each learner, whose settings inner folds choose.
func learnerGrid(fits []results.Result) (grid, error) {
	t, err := tabulate(fits)
	if err != nil {
		return grid{}, err
	}
	g := newGrid(t.Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) })
	slices.SortFunc(g.lines, milbench.CompareNatural)
	return g, nil
}

// learners is the section of the study of all learners.
func learners(a results.Archive) (string, error) {
	g, err := learnerGrid(a.Results)
	if err != nil {
		return "", err
	}
	sets, values := g.means(g.columns)
	text, err := ranked(g.columns, sets, values)
	if err != nil {
		return "", err
	}
	return g.markdown("set") + "Mean AUC ± standard deviation over repeats.\n\n" + text, nil
}
