package report

import (
	"fmt"
	"strings"

	"synpool/milbench/results"
)

// assumption is the section of the algorithmic unit tests of Raff and Holt.
func assumption(a results.Archive) (string, error) {
	g, err := assumptionGrid(a.Results)
	if err != nil {
		return "", err
	}
	cells := g.show("pooling", func(r results.Row) string {
		if r.Low == nil || r.High == nil {
			return meanSD(r)
		}
		return fmt.Sprintf("%s (%s to %s)", number(r.Mean), number(*r.Low), number(*r.High))
	})
	verdicts := []string{"breaks the assumption", "we cannot tell", "does not break it"}
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
		"The MIL assumption forbids two things: that the absence of something makes a bag positive, and that it matters how often something occurs. A model with a test AUC under 0.5 has learnt one of them. By pooling, with the tests in brackets:\n\n"
	for i, of := range []string{"the whole interval is under 0.5", "the interval contains 0.5, or there is one repeat", "the whole interval is over 0.5"} {
		text += fmt.Sprintf("- %s (%s): %s.\n", verdicts[i], of, strings.Join(nonEmpty(found[verdicts[i]]), "; "))
	}
	return text + "\n" + g.instances("pooling"), nil
}

// assumptionGrid has a line for each pooling and a column for each test.
func assumptionGrid(fits []results.Result) (grid, error) {
	rows, err := pooledTable(fits)
	return newGrid(rows, func(r results.Row) (string, string) { return label(r), r.Set }), err
}

// poolingsBreak says how many poolings break the assumption in any test. The estimate is the best pooling's AUC in its worst
// test.
func poolingsBreak(a results.Archive) (answer, error) {
	g, err := assumptionGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	var best results.Row
	var broken, open []string
	networks, instances := 0, ""
	for _, name := range g.lines {
		var worst results.Row
		side := 2 // the least of all tests
		for _, set := range g.columns {
			r, there := g.cells[name][set]
			if !there {
				continue
			}
			side = min(side, againstHalf(r))
			if worst.N == 0 || r.Mean < worst.Mean {
				worst = r
			}
		}
		if name == instancePooling {
			instances = "The classifier of instances " + []string{"does, too.", "is unclear.", "does not."}[side]
			continue
		}
		networks++
		switch side {
		case 0:
			broken = append(broken, name)
		case 1:
			open = append(open, name)
		}
		if best.N == 0 || worst.Mean > best.Mean {
			best = worst
		}
	}
	if networks == 0 || best.Low == nil || best.High == nil {
		return answer{}, errIncomplete
	}
	said := answer{estimate: "AUC " + number(best.Mean), of: fmt.Sprintf("the best of %d poolings on its worst of %d tests", networks, len(g.columns)),
		interval: fmt.Sprintf("%s to %s, %d drawings", number(*best.Low), number(*best.High), best.N)}
	switch {
	case len(broken) > 0:
		said.verdict = fmt.Sprintf("Yes, %d of %d", len(broken), networks)
		said.more = "Their AUC is under 0.5 on at least one test."
		if len(broken) < networks {
			said.more = fmt.Sprintf("The AUC of %s is under 0.5 on at least one test.", listed(broken))
		}
	case len(open) > 0:
		said.verdict = cannotTell
		said.more = fmt.Sprintf("None surely does; %d of %d may.", len(open), networks)
	default:
		said.verdict = fmt.Sprintf("No, none of %d", networks)
		said.more = "Their AUC is over 0.5 on every test."
	}
	said.more = join(said.more, instances)
	return said, nil
}

// againstHalf returns 0 where the interval of a row is under 0.5, 2 where it is over it, and 1 elsewhere.
func againstHalf(r results.Row) int {
	switch {
	case r.High != nil && *r.High < 0.5:
		return 0
	case r.Low != nil && *r.Low > 0.5:
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
