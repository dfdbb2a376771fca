package report

import "synpool/milbench/results"

// tabulate tabulates results. The intervals of the study are over repeats: a row of one repeat has none.
func tabulate(fits []results.Result) (results.Table, error) {
	t, err := results.Tabulate(fits)
	return overRepeats(t), err
}

// tabulateBest tabulates what is chosen among all settings, with the intervals of [tabulate].
func tabulateBest(fits []results.Result) (results.Table, error) {
	t, err := results.TabulateBest(fits)
	return overRepeats(t), err
}

func overRepeats(t results.Table) results.Table {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.N < 2 {
			r.Low, r.High = nil, nil
		}
	}
	return t
}
