package report

import (
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
	cells := make(map[string]map[string]study.Row)
	var sets, settings []string
	for _, r := range t.Rows {
		name := label(r)
		if cells[r.Set] == nil {
			cells[r.Set] = make(map[string]study.Row)
			sets = append(sets, r.Set)
		}
		if !slices.Contains(settings, name) {
			settings = append(settings, name)
		}
		cells[r.Set][name] = r
	}
	slices.SortFunc(sets, func(a, b string) int { return sign(witnessRate(a) - witnessRate(b)) })
	var rows [][]string
	var notes []string
	for _, set := range sets {
		rate := strconv.FormatFloat(witnessRate(set), 'g', -1, 64)
		row := []string{rate}
		best := ""
		for _, name := range settings {
			row = append(row, meanSD(cells[set][name]))
			if r, ok := cells[set][name]; ok && strings.HasPrefix(name, "syn") && (best == "" || r.AUCMean > cells[set][best].AUCMean) {
				best = name
			}
		}
		rows = append(rows, row)
		if plain, ok := cells[set]["syn I = 0"]; ok && best != "" {
			notes = append(notes, fmt.Sprintf("%s: %s (%s over I = 0)", rate, strings.TrimPrefix(best, "syn "), signed(cells[set][best].AUCMean-plain.AUCMean)))
		}
	}
	return table(append([]string{"witness rate"}, settings...), rows) + "Best I at each rate: " + strings.Join(notes, "; ") + ".\n", nil
}

// witnessRate returns the rate in the name of a set, 0 where there is none.
func witnessRate(set string) float64 {
	rate, err := strconv.ParseFloat(strings.TrimPrefix(set, "needle-"), 64)
	if err != nil {
		return 0
	}
	return rate
}
