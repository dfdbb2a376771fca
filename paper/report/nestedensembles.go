package report

import (
	"fmt"
	"slices"

	"synpool/milbench/results"
)

// ensembleGrid has a line for each set and a column for the ensembles of each pooling and for what is chosen among them.
func ensembleGrid(fits []results.Result) (grid, error) {
	t, err := tabulate(fits)
	if err != nil {
		return grid{}, err
	}
	g := newGrid(t.Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) })
	err = g.addBest(fits, anyEnsemble)
	return g, err
}

// ensemblesReach compares ensembles that validation parts choose with what was published for [siSVM].
func ensemblesReach(a results.Archive) (answer, error) {
	g, err := ensembleGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	below, others := belowBar(g, anyEnsemble)
	sets := slices.DeleteFunc(slices.Clone(carbonneau.sets), func(set string) bool { return g.cells[set] == nil })
	var differences []float64
	for _, set := range sets {
		published := carbonneau.row(siSVM).cells[slices.Index(carbonneau.sets, set)].mean / 100
		differences = append(differences, g.cells[set][anyEnsemble].Mean-published)
	}
	said, err := answered(acrossSets(sets, differences))
	within := fmt.Sprintf("They are at most one published SD below it on %d of %d sets", len(others), len(sets))
	if len(below) > 0 {
		within += ", not on " + listed(below)
	}
	said.more = join(said.more, within+".")
	return said, err
}

// nestedEnsembles is the section on ensembles among which validation parts choose.
func nestedEnsembles(a results.Archive) (string, error) {
	g, err := ensembleGrid(a.Results)
	if err != nil {
		return "", err
	}
	choices, err := choicesOf(a.Results)
	if err != nil {
		return "", err
	}
	sisvm := carbonneau.row(siSVM).line()
	sisvm[0] += " (Carbonneau et al. 2018)"
	columns := []string{anyEnsemble}
	return g.show("set", meanSDSE) +
		"Mean ± standard deviation over repeats. In brackets stands the standard error of one repeat's AUC over bags (DeLong's). Columns are ensembles of a pooling. \"ensemble\" is what the validation parts choose among them.\n\n" +
		"AUC × 100 (standard deviation over repeats):\n\n" + table(append([]string{"method"}, carbonneau.sets...), append([][]string{sisvm}, g.ours(columns, carbonneau.sets)...)) +
		besideSISVM(g, columns, choices) +
		"No validation part chose ensembles, their width 64 or these poolings. If you decide on them in advance, read this table. If validation parts shall choose among single models, read \"any\" of `poolings`.\n\n", nil
}
