package report

import (
	"fmt"

	"synpool/milbench/study"
)

// assumption is the section of the algorithmic unit tests of Raff and Holt.
func assumption(a study.Archive) (string, error) {
	t, err := study.Tabulate(a.Results)
	if err != nil {
		return "", err
	}
	g := newGrid(t.Rows, func(r study.Row) (string, string) { return label(r), r.Set })
	var keep, fail []string
	for _, name := range g.lines {
		var broken []string
		for i, set := range g.columns {
			if r, ok := g.cells[name][set]; ok && r.AUCMean < 0.5 {
				broken = append(broken, fmt.Sprint(i+1))
			}
		}
		if len(broken) > 0 {
			fail = append(fail, name+" (test "+listed(broken)+")")
		} else {
			keep = append(keep, name)
		}
	}
	return g.markdown("pooling") + "A test AUC under 0.5 means that the model learnt from what the MIL assumption forbids: that the absence of something makes a bag positive, or how often something occurs. " +
		"Under it: " + listed(fail) + ". Not under it on any of the tests: " + listed(keep) + ".\n\n" + g.instances("pooling"), nil
}

// label names the setting of a row by its pooling and, of Syn, its I.
func label(r study.Row) string {
	c, err := configOf(r.Config)
	if err != nil {
		return r.Setting
	}
	return c.label()
}
