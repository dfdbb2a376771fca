package report

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/study"
)

// assumption is the section of the algorithmic unit tests of Raff and Holt.
func assumption(a study.Archive) (string, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return "", err
	}
	cells := make(map[string]map[string]study.Row)
	var sets, settings []string
	for _, r := range t.Rows {
		name := label(r)
		if cells[name] == nil {
			cells[name] = make(map[string]study.Row)
			settings = append(settings, name)
		}
		if !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
		cells[name][r.Set] = r
	}
	var rows [][]string
	var keep, fail []string
	for _, name := range settings {
		row := []string{name}
		var broken []string
		for i, set := range sets {
			row = append(row, meanSD(cells[name][set]))
			if r, ok := cells[name][set]; ok && r.AUCMean < 0.5 {
				broken = append(broken, fmt.Sprint(i+1))
			}
		}
		if len(broken) > 0 {
			fail = append(fail, name+" (test "+listed(broken)+")")
		} else {
			keep = append(keep, name)
		}
		rows = append(rows, row)
	}
	text := table(append([]string{"pooling"}, sets...), rows)
	return text + "A test AUC under 0.5 means that the model learnt from what the MIL assumption forbids: that the absence of something makes a bag positive, or how often something occurs. " +
		"Under it: " + listed(fail) + ". Not under it on any of the tests: " + listed(keep) + ".\n", nil
}

// label names the setting of a row by its pooling and, of Syn, its I.
func label(r study.Row) string {
	c, err := configOf(r.Config)
	if err != nil {
		return r.Setting
	}
	if c.Pooling == "syn" {
		return strings.Replace(fmt.Sprintf("syn I = %d", c.Iterations), "-", "−", 1)
	}
	return c.Pooling
}
