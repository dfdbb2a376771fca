package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/paper"
)

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
func lead(f figures[int], set string) []float64 {
	concentration, distraction, _ := sides(f, set, f.settings)
	return less(concentration, distraction)
}

// noiseGroup is a group of sets, with a remark for the tables.
type noiseGroup struct {
	name, remark string
	outside      func(string) bool // reports whether a set is not in the group
}

// noiseGroups are the sets that one kind of noise is for.
var noiseGroups = []noiseGroup{{"Images and molecules", " (the paper's claim is on images)", isWeb}, {"Web", "", isNotWeb}}

// noise is the section of Table 6.
func noise(a results.Archive) (string, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return "", err
	}
	sets := f.complete(f.settings)
	if n := len(f.sets) - len(sets); n > 0 {
		f.notes = append(f.notes, fmt.Sprintf("%d sets left out that have not been run with all values of I", n))
	}
	if !twoSided(f.settings) || len(sets) == 0 {
		return "No set has values of I on both sides yet.\n\n" + f.noted(), nil
	}
	text := ""
	for _, group := range noiseGroups {
		own := slices.DeleteFunc(slices.Clone(sets), group.outside)
		if len(own) > 0 {
			text += group.name + group.remark + ":\n\n" + noiseTable(f, own)
		}
	}
	text += "The columns of sets have the best I with its mean AUC. Where several are best, all are named. The lead is the mean AUC over I > 0 less that over I < 0, averaged over sets.\n\n"
	conclusion, err := noiseTests(f, sets)
	return text + conclusion + f.noted(), err
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

// noiseTable has a row for each noise and part: the best I on each set, and the lead of concentration.
func noiseTable(f figures[int], sets []string) string {
	order, bases, at := noises(sets)
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
			means := f.table([]string{name}, f.settings)[0]
			best := extremes(means, 1)
			row = append(row, fmt.Sprintf("%s (%s)", sweep{steps: f.settings}.names(best), number(means[best[0]])))
			leads = append(leads, stat.Mean(lead(f, name), nil))
		}
		rows = append(rows, append(row, signed(stat.Mean(leads, nil))))
	}
	return table(slices.Concat([]string{"noise", "part"}, bases, []string{"lead of concentration"}), rows)
}

// leadMoves returns the sets that have been run with noise and without, and by how much noise moves the lead of concentration in
// each of their folds, mean over the noises.
func leadMoves(f figures[int], sets []string) (bases []string, moved map[string][]float64) {
	moved = make(map[string][]float64)
	for _, name := range sets {
		if _, kind, _ := noiseOf(name); kind != "" {
			continue
		}
		clean := lead(f, name)
		sum, n := make([]float64, len(clean)), 0.0
		for _, other := range sets {
			if set, kind, _ := noiseOf(other); set != name || kind == "" || !slices.Equal(f.keys[other], f.keys[name]) {
				continue
			}
			n++
			for i, v := range lead(f, other) {
				sum[i] += v - clean[i]
			}
		}
		if n == 0 {
			continue
		}
		for i := range sum {
			sum[i] /= n
		}
		bases, moved[name] = append(bases, name), sum
	}
	return bases, moved
}

// concentrationResists says whether noise moves the lead of concentration over distraction.
func concentrationResists(a results.Archive) (answer, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return answer{}, err
	}
	if !twoSided(f.settings) {
		return answer{}, errIncomplete
	}
	bases, moved := leadMoves(f, f.complete(f.settings))
	var values []float64
	for _, set := range bases {
		values = append(values, stat.Mean(moved[set], nil))
	}
	said, err := answered(acrossSets(bases, values))
	if err == nil {
		said.of = "what noise adds to the lead of concentration over distraction"
	}
	return said, err
}

// noiseTests says whether noise moves the lead of concentration: on each set by its folds, and over sets, each with the mean
// over its noises.
func noiseTests(f figures[int], sets []string) (string, error) {
	bases, moved := leadMoves(f, sets)
	if len(bases) == 0 {
		return "No set has been run both with noise and without yet.\n\n", nil
	}
	var rows [][]string
	var p, values []float64
	for _, set := range bases {
		values = append(values, stat.Mean(moved[set], nil))
		one := 1.0
		if len(moved[set]) > 1 {
			test, err := pairedT(moved[set], make([]float64, len(moved[set])), f.ratio[set])
			if err != nil {
				return "", fmt.Errorf("%s: %w", set, err)
			}
			one = test.P
		}
		p = append(p, one)
	}
	holm, err := stats.Holm(p)
	if err != nil {
		return "", err
	}
	var more, less []string
	for i, set := range bases {
		rows = append(rows, []string{set, signed(values[i]), pValue(p[i]), pValue(holm[i])})
		switch {
		case holm[i] >= alpha:
		case values[i] > 0:
			more = append(more, set)
		default:
			less = append(less, set)
		}
	}
	text := "How noise changes the lead of concentration, averaged over noises and parts:\n\n" +
		table([]string{"set", "change of the lead", "corrected resampled t-test", "after Holm"}, rows) +
		fmt.Sprintf("Tested set by set, noise favours concentration on %s and distraction on %s. These tests are over folds; on Web over seeds of one split, which say nothing of other pages. ", listed(more), listed(less))
	dense := slices.DeleteFunc(slices.Clone(bases), isWeb)
	groups := [][]string{dense, bases}
	if len(dense) == len(bases) || len(dense) == 0 {
		groups = groups[1:]
	}
	for _, group := range groups {
		if len(group) < 2 {
			text += fewSets + " "
			continue
		}
		var column [][]float64
		for _, set := range group {
			column = append(column, []float64{values[slices.Index(bases, set)]})
		}
		verdicts, err := overSets(group, column, shifts)
		if err != nil {
			return "", err
		}
		name := "On all sets"
		if len(group) == len(dense) {
			name = "On images and molecules"
		}
		conclusion := []string{"So noise favours distraction.", "We cannot tell whether noise favours one of them.", "So noise favours concentration."}[1+verdicts[0].side]
		if cannot := undecidable(group, 1); cannot != "" {
			conclusion = "No result could have decided: " + cannot + "."
		}
		text += fmt.Sprintf("%s, %s. %s ", name, verdicts[0].says, conclusion)
	}
	return strings.TrimRight(text, " ") + "\n\n", nil
}

// shifts tests whether the columns of rows, one a set, differ from 0.
func shifts(rows [][]float64) (findings []finding, err error) {
	for k := range rows[0] {
		var column []float64
		for _, row := range rows {
			column = append(column, row[k])
		}
		f, err := shift(column)
		if err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	return findings, nil
}
