package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/paper"
	"synpool/plotting"
)

// noiseStudy is the experiment noise, of Table 6.
type noiseStudy struct {
	figures[int]
	all   []string // sets, with noise and without, that have all values of I
	Moves []tested // by how much noise moves the lead of concentration on sets that have been run with noise and without, mean over the noises
}

func newNoise(a results.Archive) noiseStudy {
	n := noiseStudy{figures: newFigures(a.Results, config.steps)}
	need(twoSided(n.settings))
	n.all = n.complete(n.settings...)
	need(len(n.all) > 0)
	if left := len(n.sets) - len(n.all); left > 0 {
		n.notes = append(n.notes, fmt.Sprintf("%d sets left out that have not been run with all values of I", left))
	}
	for _, name := range n.all {
		if _, kind, _ := noiseOf(name); kind != "" {
			continue
		}
		clean := n.lead(name)
		moved, noisy := make([]float64, len(clean)), 0.0
		for _, other := range n.all {
			if set, kind, _ := noiseOf(other); set == name && kind != "" && slices.Equal(n.keys[other], n.keys[name]) {
				noisy++
				floats.Add(moved, less(n.lead(other), clean))
			}
		}
		if noisy > 0 {
			floats.Scale(1/noisy, moved)
			n.Moves = append(n.Moves, pairedT(name, moved, make([]float64, len(moved)), n.ratio[name]))
		}
	}
	if len(n.Moves) > 0 {
		corrected(n.Moves)
	}
	return n
}

// noiseOf returns what a set with noise was, and its noise with the part that it is on.
func noiseOf(name string) (set, kind, part string) {
	set, kind, disturbed := strings.Cut(name, "+")
	if !disturbed {
		return set, "", ""
	}
	kind, part, partly := strings.Cut(kind, " ")
	if !partly {
		part = paper.OnBoth
	}
	return set, kind, part
}

// lead returns, of every fold of a set, the mean over I > 0 less the mean over I < 0.
func (n noiseStudy) lead(set string) []float64 {
	concentration, distraction, _ := sides(n.figures, set, n.settings)
	return less(concentration, distraction)
}

// The groups of sets: each kind of noise is for one of the first two.
const (
	denseGroup = "Images and molecules"
	webGroup   = "Web"
	allGroup   = "All sets"
)

// group returns the sets of a group.
func group(name string, sets []string) []string {
	return without(sets, func(set string) bool { return name != allGroup && isWeb(set) != (name == webGroup) })
}

// noisePlace is a noise, by its kind and level, and the part that it is on; none has neither.
type noisePlace struct{ kind, part string }

func (p noisePlace) String() string {
	if p.kind == "" {
		return "none"
	}
	return p.kind + ", " + p.part
}

// noises returns the noises in order, the sets that were disturbed, and the names of these with each noise, by set.
func noises(sets []string) (order []noisePlace, bases []string, at map[noisePlace]map[string]string) {
	at = make(map[noisePlace]map[string]string)
	for _, name := range sets {
		set, kind, part := noiseOf(name)
		if !slices.Contains(bases, set) {
			bases = append(bases, set)
		}
		p := noisePlace{kind, part}
		if at[p] == nil {
			at[p] = make(map[string]string)
			order = append(order, p)
		}
		at[p][set] = name
	}
	slices.SortStableFunc(order, func(p, q noisePlace) int { return mil.CompareNatural(p.kind+" "+p.part, q.kind+" "+q.part) })
	return order, bases, at
}

// Table has a row for each noise and part: the best I on each set of a group, and the lead of concentration.
func (n noiseStudy) Table(of string) string {
	order, bases, at := noises(group(of, n.all))
	var rows [][]string
	for _, p := range order {
		row := []string{p.kind, p.part}
		if p.kind == "" {
			row[0] = p.String()
		}
		var leads []float64
		for _, set := range bases {
			name, found := at[p][set]
			if !found {
				row = append(row, "")
				continue
			}
			means := n.table([]string{name}, n.settings)[0]
			best := extremes(means, 1)
			row = append(row, fmt.Sprintf("%s (%s)", stepNames(n.settings, best), number(means[best[0]])))
			leads = append(leads, mean(n.lead(name)))
		}
		rows = append(rows, append(row, signed(mean(leads))))
	}
	return table(slices.Concat([]string{"noise", "part"}, bases, []string{"lead of concentration"}), rows)
}

// moves returns by how much noise moves the lead on each set of a group.
func (n noiseStudy) moves(of string) (sets []string, moves []float64) {
	return differences(without(n.Moves, func(t tested) bool { return len(group(of, []string{t.Name})) == 0 }))
}

// OverSets says what a test over the sets of a group shows.
func (n noiseStudy) OverSets(of string) string {
	sets, moves := n.moves(of)
	need(len(sets) > 1)
	var says []string
	cells := overSets(sets, rowsOf(moves), shifts)[0]
	for i, count := range []int{len(sets), webAsOne(sets)}[:len(cells)/3] {
		says = append(says, fmt.Sprintf("over %d sets %s, Wilcoxon's signed-rank test, p = %s", count, cells[3*i], cells[3*i+1]))
	}
	return strings.Join(says, "; with Web as one set ")
}

// Cannot says why no test over the sets of a group could have decided.
func (n noiseStudy) Cannot(of string) string {
	sets, _ := n.moves(of)
	return undecidable(sets, 1)
}

// concentrationResists says whether noise moves the lead of concentration over distraction.
func concentrationResists(n noiseStudy) answer {
	said := acrossFamilies(n.moves(allGroup)).answer()
	said.of = "what noise adds to the lead of concentration over distraction"
	return said
}

// noisePlot draws the lead of concentration under each noise: a mean over sets, and the sets.
func noisePlot(n noiseStudy) *plotting.Figure {
	var rows []plotting.IntervalRow
	for _, name := range []string{denseGroup, webGroup} {
		order, bases, at := noises(group(name, n.all))
		for _, p := range order {
			var leads []float64
			for _, set := range bases {
				if name, found := at[p][set]; found {
					leads = append(leads, round(mean(n.lead(name))))
				}
			}
			rows = append(rows, overPoints(p.String(), name, leads))
		}
	}
	return must(plotting.AUCDifferences("Does noise favour concentration? Mean AUC over I > 0 less that over I < 0", rows))
}

// leadPlot draws what noise adds to the lead of concentration over distraction: a mean over the sets of a group, and the sets.
func leadPlot(n noiseStudy) *plotting.Figure {
	var rows []plotting.IntervalRow
	for _, name := range []string{denseGroup, webGroup, allGroup} {
		if _, moves := n.moves(name); len(moves) > 0 {
			for i := range moves {
				moves[i] = round(moves[i])
			}
			rows = append(rows, overPoints(name, "with noise less without", moves))
		}
	}
	need(len(rows) > 0)
	return must(plotting.AUCDifferences("What noise adds to the lead of concentration", rows))
}
