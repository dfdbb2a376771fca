package report

import (
	"fmt"
	"strings"
	"synpool/milbench/results"
)

// assumption is the section of the algorithmic unit tests of Raff and Holt.
func assumption(a results.Archive) (string, error) {
	rows, err := pooledTable(a.Results)
	if err != nil {
		return "", err
	}
	g := newGrid(rows, func(r results.Row) (string, string) { return label(r), r.Set })
	cells := g.show("pooling", func(r results.Row) string {
		if r.AUCLow == nil || r.AUCHigh == nil {
			return meanSD(r)
		}
		return fmt.Sprintf("%s (%s to %s)", number(r.AUCMean), number(*r.AUCLow), number(*r.AUCHigh))
	})
	verdicts := []string{"breaks the assumption", "unclear", "does not break it"}
	found := make(map[string][]string)
	for _, name := range g.lines {
		tests := make(map[string][]string)
		for _, set := range g.columns {
			if r, ok := g.cells[name][set]; ok {
				v := verdicts[againstHalf(r)]
				tests[v] = append(tests[v], strings.TrimPrefix(set, "raffholt"))
			}
		}
		for v, list := range tests {
			found[v] = append(found[v], name+" ("+listed(list)+")")
		}
	}
	text := cells + "Means and 95 % intervals over drawings of the set (over seeds of the network where there is one drawing). " +
		"A test AUC under 0.5 means that the model learnt from what the MIL assumption forbids: that the absence of something makes a bag positive, or how often something occurs. By pooling, with the tests in brackets:\n\n"
	for i, of := range []string{"the whole interval is under 0.5", "the interval holds 0.5, or there is one repeat", "the whole interval is over 0.5"} {
		text += fmt.Sprintf("- %s (%s): %s.\n", verdicts[i], of, strings.Join(nonEmpty(found[verdicts[i]]), "; "))
	}
	return text + "\n" + g.instances("pooling"), nil
}

// againstHalf returns 0 where the interval of a row is under 0.5, 2 where it is over it, and 1 elsewhere.
func againstHalf(r results.Row) int {
	switch {
	case r.AUCHigh != nil && *r.AUCHigh < 0.5:
		return 0
	case r.AUCLow != nil && *r.AUCLow > 0.5:
		return 2
	}
	return 1
}

func nonEmpty(names []string) []string {
	if len(names) == 0 {
		return []string{"none"}
	}
	return names
}
