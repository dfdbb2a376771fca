package report

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// literature is the AUC of other methods, times 100, with their standard deviation over ten repeats of ten folds:
// Carbonneau et al., "Multiple instance learning: a survey of problem characteristics and applications", Pattern
// Recognition 77 (2018); one code base, hyperparameters chosen inside the training part.
var literature = struct {
	sets []string
	rows []literatureRow
}{
	[]string{"musk1", "musk2", "tiger", "elephant", "fox"},
	[]literatureRow{
		{"Citation-kNN", []string{"93.5 (0.6)", "86.3 (1.5)", "85.9 (1.6)", "88.3 (1.0)", "65.9 (4.4)"}},
		{"EM-DD", []string{"87.4 (3.8)", "79.3 (5.4)", "76.5 (1.9)", "87.5 (1.6)", "66.2 (2.8)"}},
		{"EMD-kernel", []string{"95.2 (2.0)", "97.5 (1.2)", "92.6 (0.8)", "95.0 (0.8)", "68.0 (1.5)"}},
		{"mi-SVM", []string{"94.5 (2.0)", "92.6 (1.2)", "84.8 (1.0)", "92.2 (1.1)", "64.3 (2.7)"}},
		{"MI-SVM", []string{"94.2 (1.2)", "94.5 (1.8)", "90.2 (0.9)", "89.3 (1.8)", "68.2 (2.5)"}},
		{"MILES", []string{"93.9 (1.5)", "94.4 (1.5)", "89.3 (1.6)", "88.2 (1.8)", "73.9 (3.5)"}},
		{"MInD", []string{"95.6 (0.8)", "96.3 (0.9)", "87.8 (1.3)", "92.1 (0.9)", "66.9 (1.0)"}},
		{"SI-SVM", []string{"93.2 (1.8)", "93.0 (1.3)", "86.4 (1.0)", "92.6 (0.5)", "67.3 (2.5)"}},
	},
}

type literatureRow struct {
	method string
	cells  []string
}

// siSVM is the row that a deep model must not fall below: mean and standard deviation.
var siSVM = map[string][2]float64{"musk1": {0.932, 0.018}, "musk2": {0.930, 0.013}, "tiger": {0.864, 0.010}, "elephant": {0.926, 0.005}, "fox": {0.673, 0.025}}

// poolings is the section of Table 1.
func poolings(a study.Archive) (string, error) {
	perPooling, err := study.Tabulate(a.Results)
	if err != nil {
		return "", err
	}
	best, err := study.TabulateBest(a.Results)
	if err != nil {
		return "", err
	}
	g := newGrid(slices.Concat(perPooling.Rows, best.Rows), func(r study.Row) (string, string) { return r.Set, poolingOf(r) })
	slices.SortFunc(g.lines, study.CompareNatural)
	var b strings.Builder
	b.WriteString(g.markdown("set"))
	b.WriteString("Columns are poolings, \"instance\" the classifier of instances with a maximum; \"any\" is what the validation parts choose among all settings of all poolings.\n\n")

	single := slices.DeleteFunc(slices.Clone(g.columns), func(n string) bool { return n == "any" })
	values := g.means(single)
	wins := make(map[string]int)
	for _, row := range values {
		wins[single[floats.MaxIdx(row)]]++
	}
	text, err := ranked(single, values)
	if err != nil {
		return "", err
	}
	b.WriteString(text)
	var won []string
	for _, name := range single {
		if wins[name] > 0 {
			won = append(won, fmt.Sprintf("%s on %d", name, wins[name]))
		}
	}
	fmt.Fprintf(&b, "The best mean is that of %s of %d sets.\n\n", listed(won), len(values))

	b.WriteString("Published figures, AUC × 100 (standard deviation over 10 repeats of 10 folds), Carbonneau et al. 2018:\n\n")
	var lines [][]string
	for _, r := range literature.rows {
		lines = append(lines, append([]string{r.method}, r.cells...))
	}
	ours := []string{"ours, any pooling"}
	var below []string
	for _, set := range literature.sets {
		r, ok := g.cells[set]["any"]
		if !ok {
			ours = append(ours, "")
			continue
		}
		ours = append(ours, hundredfold(r))
		if bar := siSVM[set]; r.AUCMean < bar[0]-bar[1] {
			below = append(below, fmt.Sprintf("%s (%.1f under %.1f)", set, 100*r.AUCMean, 100*(bar[0]-bar[1])))
		}
	}
	b.WriteString(table(append([]string{"method"}, literature.sets...), append(lines, ours)))
	if len(below) == 0 {
		b.WriteString("Our best honest model is nowhere below SI-SVM by more than the standard deviation in that row.\n")
	} else {
		fmt.Fprintf(&b, "Our best honest model is below SI-SVM by more than the standard deviation in that row on %s.\n", listed(below))
	}
	return b.String(), nil
}

// meanSD is the cell of a row, empty for that which is not there.
func meanSD(r study.Row) string {
	switch {
	case r.N == 0:
		return ""
	case r.AUCSD == nil:
		return number(r.AUCMean)
	}
	return number(r.AUCMean) + " ± " + number(*r.AUCSD)
}

func hundredfold(r study.Row) string {
	if r.AUCSD == nil {
		return fmt.Sprintf("%.1f", 100*r.AUCMean)
	}
	return fmt.Sprintf("%.1f (%.1f)", 100*r.AUCMean, 100**r.AUCSD)
}

// ranked says whether methods differ over sets: average ranks, Friedman's test and Nemenyi's critical difference.
func ranked(methods []string, values [][]float64) (string, error) {
	if len(methods) < 2 || len(values) < 2 {
		return "A test of ranks needs two of them, and two sets with all of them, at least.\n\n", nil
	}
	test, err := stats.Friedman(values)
	if err != nil {
		return "", err
	}
	order := make([]int, len(methods))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return sign(test.Ranks[i] - test.Ranks[j]) })
	var ranks []string
	for _, i := range order {
		ranks = append(ranks, fmt.Sprintf("%s %.2f", methods[i], test.Ranks[i]))
	}
	difference, err := stats.NemenyiDifference(len(methods), len(values), alpha)
	if err != nil {
		return "", err
	}
	var apart []string
	for x, i := range order {
		for _, j := range order[x+1:] {
			if test.Ranks[j]-test.Ranks[i] >= difference {
				apart = append(apart, methods[i]+" is ahead of "+methods[j])
			}
		}
	}
	text := fmt.Sprintf("Average ranks over %d sets (1 is the best): %s. Friedman's test (F of Iman and Davenport): %s; Nemenyi's critical difference at 5 %%: %.2f. ",
		len(values), strings.Join(ranks, ", "), pValue(test.FP), difference)
	switch {
	case test.FP >= alpha:
		text += "So these sets do not tell the methods apart."
	case len(apart) == 0:
		text += "The methods are not all alike, but no two of them can be told apart."
	default:
		text += "By that " + listed(apart) + "; the other pairs cannot be told apart."
	}
	return text + "\n\n", nil
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
