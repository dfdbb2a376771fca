package report

import (
	"fmt"
	"strings"

	"synpool/milbench/results"
)

// assumptionStudy is the experiment assumption, the algorithmic unit tests of Raff and Holt: a line for each pooling and a column for
// each test.
type assumptionStudy struct{ grid }

func newAssumption(a results.Archive) assumptionStudy {
	return assumptionStudy{newGrid(pooledTable(a.Results), func(r results.Row) (string, string) { return label(r), r.Set })}
}

// Poolings names the poolings whose interval lies under 0.5 in some tests (side -1), over it (1), or holds it (0), with these tests.
func (s assumptionStudy) Poolings(side int) string {
	var found []string
	for _, name := range s.lines {
		var tests []string
		for _, set := range s.columns {
			if r, there := s.cells[name][set]; there && rowBeside(r, 0.5) == side {
				tests = append(tests, strings.TrimPrefix(set, "raffholt"))
			}
		}
		if len(tests) > 0 {
			found = append(found, name+" ("+listed(tests)+")")
		}
	}
	return chained(found)
}

// worst returns the row of a pooling in its worst test, and the least side of 0.5 on which its intervals lie in any.
func (s assumptionStudy) worst(name string) (worst results.Row, side int) {
	side = 1
	for _, set := range s.columns {
		if r, there := s.cells[name][set]; there {
			side = min(side, rowBeside(r, 0.5))
			if worst.N == 0 || r.Mean < worst.Mean {
				worst = r
			}
		}
	}
	return worst, side
}

// networks returns the poolings that are no classifier of instances, by the least side of 0.5 on which their intervals lie.
func (s assumptionStudy) networks() (by map[int][]string, n int) {
	by = make(map[int][]string)
	for _, name := range s.lines {
		if name != instancePooling {
			_, side := s.worst(name)
			by[side] = append(by[side], name)
			n++
		}
	}
	return by, n
}

// Spared names the poolings of networks whose AUC is not under 0.5 for sure on any test.
func (s assumptionStudy) Spared() string {
	by, _ := s.networks()
	return listed(append(by[0], by[1]...))
}

// InstanceSide is the least side of 0.5 on which the intervals of the classifier of instances lie.
func (s assumptionStudy) InstanceSide() int {
	need(s.cells[instancePooling] != nil)
	_, side := s.worst(instancePooling)
	return side
}

// poolingsBreak says how many poolings break the assumption in any test. The estimate is the best pooling's AUC in its worst
// test.
func poolingsBreak(s assumptionStudy) answer {
	var best results.Row
	for _, name := range s.lines {
		if worst, _ := s.worst(name); name != instancePooling && (best.N == 0 || worst.Mean > best.Mean) {
			best = worst
		}
	}
	need(best.Low != nil && best.High != nil)
	by, n := s.networks()
	said := answer{Verdict: fmt.Sprintf("No, none of %d", n), Estimate: "AUC " + number(best.Mean), of: fmt.Sprintf("the best of %d poolings on its worst of %d tests", n, len(s.columns)),
		Interval: fmt.Sprintf("%s to %s, %d drawings", number(*best.Low), number(*best.High), best.N)}
	switch {
	case len(by[-1]) > 0:
		said.Verdict = fmt.Sprintf("Yes, %d of %d", len(by[-1]), n)
	case len(by[0]) > 0:
		said.Verdict = cannotTell
	}
	return said
}
