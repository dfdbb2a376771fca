package report

import (
	"cmp"
	"slices"
	"strings"

	"synpool/milbench/results"
	"synpool/plotting"
)

// ablationStudy is the experiment ablation, of Table 3: every change of a setting, fold by fold, of both settings of Syn ([config.preset]).
type ablationStudy struct{ of map[string]figures[string] }

func newAblation(a results.Archive) ablationStudy {
	s := ablationStudy{make(map[string]figures[string])}
	for _, preset := range []string{paperPreset, releasedPreset} {
		name := func(c config) string { return c.change(preset) }
		s.of[preset] = newFigures(of(a.Results, func(c config) bool { return name(c) != "" }), name)
	}
	return s
}

// bases are the settings that are changed.
var bases = []string{"paper, I = 3", "paper, I = −3", "released, I = 3", "released, I = −3"}

// change names a setting by the one thing that it changes in a preset; it is "" where there are more.
func (c config) change(preset string) string {
	released := preset == releasedPreset
	switch {
	case c.Pooling == "mean", c.Pooling == "softmax" && c.Norm == released:
		return c.Pooling
	case c.Pooling != "syn":
		return ""
	}
	names := []string{preset, "I = " + integer(c.Iterations)}
	for _, part := range []struct {
		is   bool
		name string
	}{
		{c.Norm != released, map[bool]string{true: "no layer norm", false: "layer norm"}[released]},
		{(c.Gamma == 1) == released, map[bool]string{true: "γ = 1", false: "γ = 0.5"}[released]},
		{c.Renormalise, "renormalised"}, {c.TrueGradient, "true gradient"},
		{c.Scale == 1, "S = 1"}, {c.Heads == 1, "one head"}, {c.Dropout == 0, "no dropout"}, {c.Dropout == 0.5, "dropout 0.5"},
	} {
		if part.is {
			names = append(names, part.name)
		}
	}
	if len(names) > 3 {
		return ""
	}
	return strings.Join(names, ", ")
}

// changes are the settings that change a base, or stand in its place, on the sets that have all of them.
type changes struct {
	figures[string]
	Base   string
	others []string
	sets   []string
}

// Against returns the changes of a base.
func (s ablationStudy) Against(base string) changes {
	of := s.figures(base)
	c := changes{figures: of, Base: base, others: without(of.settings, func(s string) bool {
		return s == base || !strings.HasPrefix(s, base) && s != "softmax" && s != "mean"
	})}
	c.sets = c.complete(append([]string{base}, c.others...)...)
	need(len(c.sets) > 0 && len(c.others) > 0)
	return c
}

// difference is what a change does to the AUC on a set.
func (c changes) difference(other, set string) float64 {
	return c.mean(set, other) - c.mean(set, c.Base)
}

// Differences is a table of the base and of the differences from it on each set.
func (c changes) Differences() string {
	row := []string{c.Base}
	for _, set := range c.sets {
		row = append(row, number(c.mean(set, c.Base)))
	}
	rows := [][]string{row}
	for _, other := range c.others {
		row := []string{other}
		for _, set := range c.sets {
			row = append(row, signed(c.difference(other, set)))
		}
		rows = append(rows, row)
	}
	return table(append([]string{"change"}, c.sets...), rows)
}

// effects are what the changes do, a row for each set.
func (c changes) effects() (rows [][]float64) {
	for _, set := range c.sets {
		var row []float64
		for _, other := range c.others {
			row = append(row, c.difference(other, set))
		}
		rows = append(rows, row)
	}
	return rows
}

// verdicts are what the changes do, over families of sets.
func (c changes) verdicts() (list []answer) {
	rows := c.effects()
	var all []*answer
	for k := range c.others {
		list = append(list, acrossFamilies(c.sets, column(rows, k)).answer())
	}
	for i := range list {
		all = append(all, &list[i])
	}
	hold(all, "changes")
	return list
}

// Verdicts is a table of [changes.verdicts].
func (c changes) Verdicts() string {
	var rows [][]string
	for k, said := range c.verdicts() {
		rows = append(rows, []string{c.others[k], said.Verdict, said.Estimate, said.Interval})
	}
	return wordTable([]string{"change", "verdict", "mean difference", "95 % interval"}, rows)
}

// bases are those that were run.
func (s ablationStudy) bases() []string {
	return without(bases, func(base string) bool {
		return !slices.Contains(s.figures(base).settings, base)
	})
}

// figures are those of the preset of a base.
func (s ablationStudy) figures(base string) figures[string] {
	preset, _, _ := strings.Cut(base, ",")
	return s.of[preset]
}

// Incomplete returns a paragraph of what was left out of a preset.
func (s ablationStudy) Incomplete(preset string) string { return s.of[preset].Incomplete() }

// Count counts the changes of all bases whose verdict begins so.
func (s ablationStudy) Count(verdict string) (n int) {
	for _, base := range s.bases() {
		n += len(without(s.Against(base).verdicts(), func(said answer) bool { return !strings.HasPrefix(said.Verdict, verdict) }))
	}
	return n
}

// beatsSoftmax returns the answer of how a base differs from softmax, where its steps start.
func beatsSoftmax(base string) func(ablationStudy) answer {
	return func(s ablationStudy) answer {
		of := s.figures(base)
		sets := of.complete(base, "softmax")
		values := of.table(sets, []string{base, "softmax"})
		said := acrossFamilies(sets, less(column(values, 0), column(values, 1))).answer()
		said.of = base + " less softmax"
		return said
	}
}

// changesPlot draws what each change does to the AUC, by the setting that it changes: a mean over families of sets, and the families.
func changesPlot(s ablationStudy) *plotting.Figure {
	places := make(map[string][]plotting.IntervalRow) // by change
	var names []string
	need(len(s.bases()) > 0)
	for _, base := range s.bases() {
		c := s.Against(base)
		for _, other := range c.others {
			name := strings.TrimPrefix(other, base+", ")
			if name == other {
				name += " in its place"
			}
			var points []float64
			for _, set := range c.sets {
				points = append(points, c.difference(other, set))
			}
			if places[name] == nil {
				names = append(names, name)
			}
			places[name] = append(places[name], overFamilies(name, base, c.sets, points))
		}
	}
	slices.SortStableFunc(names, func(p, q string) int { return -cmp.Compare(places[p][0].Mean, places[q][0].Mean) })
	var rows []plotting.IntervalRow
	for _, name := range names {
		rows = append(rows, places[name]...)
	}
	return must(plotting.AUCDifferences("One change at a time", rows))
}
