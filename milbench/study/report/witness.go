package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench/study"
)

// witness is the section on the witness rate.
func witness(a study.Archive) (string, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(t.Rows, func(x, y study.Row) int { return cmp.Compare(witnessRate(x.Set), witnessRate(y.Set)) })
	g := newGrid(t.Rows, func(r study.Row) (string, string) {
		return strconv.FormatFloat(witnessRate(r.Set), 'g', -1, 64), label(r)
	})
	var notes []string
	for _, rate := range g.lines {
		best := ""
		for _, name := range g.columns {
			if r, ok := g.cells[rate][name]; ok && strings.HasPrefix(name, "syn") && (best == "" || r.AUCMean > g.cells[rate][best].AUCMean) {
				best = name
			}
		}
		if plain, ok := g.cells[rate]["syn I = 0"]; ok {
			notes = append(notes, fmt.Sprintf("%s: %s (%s over I = 0)", rate, strings.TrimPrefix(best, "syn "), signed(g.cells[rate][best].AUCMean-plain.AUCMean)))
		}
	}
	return g.markdown("witness rate") + "Best I at each rate: " + strings.Join(notes, "; ") + ".\n\n" + g.instances("witness rate"), nil
}

// witnessRate returns the rate in the name of a set, 0 where there is none.
func witnessRate(set string) float64 {
	rate, err := strconv.ParseFloat(strings.TrimPrefix(set, "needle-"), 64)
	if err != nil {
		return 0
	}
	return rate
}
