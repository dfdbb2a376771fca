package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/stats"
)

// dependence says why sets are not independent, and what follows.
const dependence = "Sets are not independent. Web 1 to 9 are the same 113 pages, rated by nine users. Musk 1 and Musk 2 share molecules. Elephant, Fox and Tiger take their negative bags from the same photos. " +
	"So each test over sets is made twice, with Holm's correction: over all sets, and with the Web sets averaged into one. A verdict needs both, in the same direction, " +
	"and more sets than can reach the level only if all of them agree: six give p = 0.031 then, else 0.0625 at best."

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}

// extremes returns the indices of the largest of values (times +1 or -1), all of them where several are equal.
func extremes(values []float64, times float64) (at []int) {
	for i, v := range values {
		switch {
		case len(at) == 0 || times*v > times*values[at[0]]:
			at = []int{i}
		case v == values[at[0]]:
			at = append(at, i)
		}
	}
	return at
}

// fewSets stands for a test over sets where there is one alone.
const fewSets = "A test over sets needs at least two."

// finding is the outcome of a two-sided test over sets.
type finding struct {
	p    float64
	side int    // the sign of the effect
	cell string // the effect with its interval
	says string // the same, and the test
}

// shift tests whether values, one a set, differ from 0.
func shift(values []float64) (finding, error) {
	if len(values) == 0 {
		return finding{p: 1, cell: "no value", says: "there is no value"}, nil
	}
	values = slices.Clone(values)
	for i := range values {
		values[i] = round(values[i])
	}
	test, err := stats.Wilcoxon(values, make([]float64, len(values)))
	if err != nil {
		return finding{}, err
	}
	cell, err := meanInterval(values, "")
	if err != nil {
		return finding{}, err
	}
	cell = strings.Replace(cell, "95 % interval ", "", 1)
	return finding{test.P, sign(test.RankBiserial), cell, cell + ", Wilcoxon's signed-rank test"}, nil
}

// meanInterval writes the mean of values and, of two or more, its interval, followed within the parentheses by more.
func meanInterval(values []float64, more string) (string, error) {
	if len(values) < 2 {
		return signed(stat.Mean(values, nil)), nil
	}
	mean, low, high, err := stats.MeanInterval(values, 1-alpha)
	return fmt.Sprintf("%s (95 %% interval %s to %s%s)", signed(mean), signed(low), signed(high), more), err
}

// verdict is what follows from findings on the same question.
type verdict struct {
	side  int // the direction that the tests carry, 0 where they carry none
	says  string
	cells []string // the effect, its p and that after Holm; then the same with Web as one
}

// verdictTable is a table of verdicts over sets, each with its name and what is judged of it.
func verdictTable(head string, sets []string, names, judged []string, verdicts []verdict) string {
	columns := []string{head, "verdict", fmt.Sprintf("%d sets: effect (95 %% interval)", len(sets)), "p", "after Holm"}
	if once, _ := mergeWeb(sets, make([][]float64, len(sets))); len(once) < len(sets) {
		columns = append(columns, fmt.Sprintf("Web as one, %d sets", len(once)), "p", "after Holm")
	}
	var rows [][]string
	for i, v := range verdicts {
		rows = append(rows, append([]string{names[i], judged[i]}, v.cells...))
	}
	return wordTable(columns, rows)
}

// undecidable says why tests over sets that ask so many questions can carry none of them, with Web as one set, whatever the
// results are; it is empty where they can. A signed-rank or a sign test over n sets has no p-value under 2^(1-n), where all
// agree, and no verdict rests on that one result alone: twice this p-value, after Holm, must be under the level.
func undecidable(sets []string, questions int) string {
	names, _ := mergeWeb(sets, make([][]float64, len(sets)))
	least := math.Pow(2, 1-float64(len(names)))
	if 2*least*float64(questions) < alpha {
		return ""
	}
	text := fmt.Sprintf("%d sets", len(names))
	if len(names) < len(sets) {
		text += ", with Web as one,"
	}
	text += fmt.Sprintf(" cannot show a p under %s", digits(least))
	if questions > 1 {
		text += fmt.Sprintf(", %s after Holm for %d tests", digits(min(least*float64(questions), 1)), questions)
	}
	return text
}

// digits writes a p-value with three of them.
func digits(p float64) string { return strconv.FormatFloat(p, 'g', 3, 64) }

// overSets asks the same questions of rows, one a set, and again with the Web sets averaged into one row. A verdict has a side
// where both tests carry it in the same direction, with Holm's correction for all questions, and are not [undecidable].
func overSets(sets []string, rows [][]float64, ask func(rows [][]float64) ([]finding, error)) ([]verdict, error) {
	var verdicts []verdict
	names, merged := mergeWeb(sets, rows)
	versions := [][][]float64{rows, merged}
	if len(names) == len(sets) {
		versions = versions[:1]
	}
	for i, version := range versions {
		findings, err := ask(version)
		if err != nil {
			return nil, err
		}
		p := make([]float64, len(findings))
		for k, f := range findings {
			p[k] = f.p
		}
		holm, err := stats.Holm(p)
		if err != nil {
			return nil, err
		}
		for k, f := range findings {
			text := fmt.Sprintf("over %d sets %s, %s", len(version), f.says, pValue(f.p))
			if len(p) > 1 {
				text += fmt.Sprintf(" (after Holm for %d tests %s)", len(p), pValue(holm[k]))
			}
			cells := []string{f.cell, digitsOf(f.p), digitsOf(holm[k])}
			if holm[k] >= alpha || undecidable(sets, len(findings)) != "" {
				f.side = 0
			}
			if i == 0 {
				verdicts = append(verdicts, verdict{f.side, text, cells})
				continue
			}
			v := &verdicts[k]
			v.says += "; with Web as one set " + text
			v.cells = append(v.cells, cells...)
			if v.side != f.side {
				v.side = 0
			}
		}
	}
	return verdicts, nil
}

// digitsOf writes a p-value without its name.
func digitsOf(p float64) string { return strings.TrimPrefix(strings.TrimPrefix(pValue(p), "p "), "= ") }

// mergeWeb averages the rows of the Web sets into one, column by column; NaN stands for a missing value.
func mergeWeb(sets []string, rows [][]float64) (names []string, merged [][]float64) {
	var sum, n []float64
	at := -1
	for i, set := range sets {
		if !isWeb(set) {
			names, merged = append(names, set), append(merged, rows[i])
			continue
		}
		if at < 0 {
			at = len(names)
			sum, n = make([]float64, len(rows[i])), make([]float64, len(rows[i]))
			names, merged = append(names, "web"), append(merged, sum)
		}
		for k, v := range rows[i] {
			if !math.IsNaN(v) {
				sum[k] += v
				n[k]++
			}
		}
	}
	for k := range sum {
		sum[k] = round(sum[k] / n[k]) // NaN where all are missing
	}
	return names, merged
}

// ranking is methods ranked over sets.
type ranking struct {
	methods    []string
	sets       int
	test       stats.FriedmanTest
	difference float64 // Nemenyi's
}

func newRanking(methods []string, values [][]float64) (r ranking, err error) {
	r = ranking{methods: methods, sets: len(values)}
	if r.test, err = stats.Friedman(values); err != nil {
		return ranking{}, err
	}
	r.difference, err = stats.NemenyiDifference(len(methods), len(values), alpha)
	return r, err
}

// order returns the methods from the best rank on.
func (r ranking) order() []int { return byRank(r.test.Ranks) }

// byRank returns the places of ranks from the best on.
func byRank(ranks []float64) []int {
	order := places(len(ranks))
	slices.SortStableFunc(order, func(i, j int) int { return sign(ranks[i] - ranks[j]) })
	return order
}

// rankings ranks methods over all sets, and with the Web sets averaged into one; where there are none to average both are the
// same.
func rankings(methods, sets []string, values [][]float64) (all, once ranking, err error) {
	if all, err = newRanking(methods, values); err != nil {
		return ranking{}, ranking{}, err
	}
	_, merged := mergeWeb(sets, values)
	once, err = newRanking(methods, merged)
	return all, once, err
}

// ahead reports whether method i is ahead of method j.
func (r ranking) ahead(i, j int) bool {
	return r.test.FP < alpha && r.test.Ranks[j]-r.test.Ranks[i] >= r.difference
}

// ranked says whether methods differ over sets: average ranks, Friedman's test and Nemenyi's critical difference, over all
// sets, or what else the lines are called, and with the Web sets averaged into one.
func ranked(methods []string, lines string, sets []string, values [][]float64) (string, error) {
	_, merged := mergeWeb(sets, values)
	if len(methods) < 2 || len(merged) < 2 {
		return fmt.Sprintf("A test of ranks needs at least two methods, and two %s (Web counts as one) that have all of them.\n\n", lines), nil
	}
	if !slices.ContainsFunc(merged, func(row []float64) bool { return len(extremes(row, 1)) < len(row) }) {
		return "All are equal on all sets.\n\n", nil
	}
	all, once, err := rankings(methods, sets, values)
	if err != nil {
		return "", err
	}
	head := []string{"average rank (1 is the best)", fmt.Sprintf("%d %s", all.sets, lines)}
	friedman, nemenyi := pValue(all.test.FP), fmt.Sprintf("%.2f", all.difference)
	if once.sets < all.sets {
		head = append(head, fmt.Sprintf("Web as one, %d %s", once.sets, lines))
		friedman += ", with Web as one " + pValue(once.test.FP)
		nemenyi += fmt.Sprintf(", with Web as one %.2f", once.difference)
	}
	var rows [][]string
	order := all.order()
	var apart []string
	for x, i := range order {
		row := []string{methods[i], fmt.Sprintf("%.2f", all.test.Ranks[i]), fmt.Sprintf("%.2f", once.test.Ranks[i])}
		rows = append(rows, row[:len(head)])
		var behind []string
		for _, j := range order[x+1:] {
			if all.ahead(i, j) && once.ahead(i, j) {
				behind = append(behind, methods[j])
			}
		}
		if len(behind) > 0 {
			apart = append(apart, methods[i]+" is ahead of "+listed(behind))
		}
	}
	text := table(head, rows) + fmt.Sprintf("Friedman's test (F of Iman and Davenport): %s. Nemenyi's critical difference at 5 %%: %s. ", friedman, nemenyi)
	switch {
	case all.test.FP >= alpha || once.test.FP >= alpha:
		text += "These sets do not tell them apart."
	case len(apart) == 0:
		text += "They are not all alike, but we cannot tell any two apart."
	default:
		text += "By this, " + strings.Join(apart, "; ") + ". We cannot tell the other pairs apart."
	}
	return text + "\n\n", nil
}
