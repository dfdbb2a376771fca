package report

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/results"
)

// carbonneau is the AUC of other methods, times 100, with their standard deviation over ten repeats of ten folds:
// Carbonneau et al., "Multiple instance learning: a survey of problem characteristics and applications", Pattern
// Recognition 77 (2018); one code base, hyperparameters chosen inside the training part.
var carbonneau = literature{
	[]string{"musk1", "musk2", "tiger", "elephant", "fox"},
	[]literatureRow{
		{"Citation-kNN", []reported{{93.5, 0.6}, {86.3, 1.5}, {85.9, 1.6}, {88.3, 1.0}, {65.9, 4.4}}},
		{"EM-DD", []reported{{87.4, 3.8}, {79.3, 5.4}, {76.5, 1.9}, {87.5, 1.6}, {66.2, 2.8}}},
		{"EMD-kernel", []reported{{95.2, 2.0}, {97.5, 1.2}, {92.6, 0.8}, {95.0, 0.8}, {68.0, 1.5}}},
		{"mi-SVM", []reported{{94.5, 2.0}, {92.6, 1.2}, {84.8, 1.0}, {92.2, 1.1}, {64.3, 2.7}}},
		{"MI-SVM", []reported{{94.2, 1.2}, {94.5, 1.8}, {90.2, 0.9}, {89.3, 1.8}, {68.2, 2.5}}},
		{"MILES", []reported{{93.9, 1.5}, {94.4, 1.5}, {89.3, 1.6}, {88.2, 1.8}, {73.9, 3.5}}},
		{"MInD", []reported{{95.6, 0.8}, {96.3, 0.9}, {87.8, 1.3}, {92.1, 0.9}, {66.9, 1.0}}},
		{siSVM, []reported{{93.2, 1.8}, {93.0, 1.3}, {86.4, 1.0}, {92.6, 0.5}, {67.3, 2.5}}},
	},
}

// literature is a published table.
type literature struct {
	sets []string
	rows []literatureRow
}

// row returns the row of a method.
func (l literature) row(method string) literatureRow {
	return l.rows[slices.IndexFunc(l.rows, func(r literatureRow) bool { return r.method == method })]
}

// siSVM is the method that a deep model must not fall below: an instance classifier and a maximum.
const siSVM = "SI-SVM"

type literatureRow struct {
	method string
	cells  []reported
}

// reported is a published mean and its standard deviation, times 100.
type reported struct{ mean, sd float64 }

func (p reported) String() string { return fmt.Sprintf("%.1f (%.1f)", p.mean, p.sd) }

// ramsauer is Table 1 of Ramsauer et al., "Hopfield networks is all you need", International Conference on Learning
// Representations (2021): AUC times 100, as printed, of nested 10-fold cross-validation (UCSB: 4 folds), 5 repeats. Two
// methods are quoted there from Küçükaşcı and Baydoğan, "Bag encoding strategies in multiple instance learning problems",
// Information Sciences 467 (2018), and one from Carbonneau et al., "Robust multiple-instance learning ensembles using random
// subspace instance selection", Pattern Recognition 58 (2016).
var ramsauer = struct {
	sets []string
	rows [][]string
}{
	[]string{"tiger", "fox", "elephant", "ucsb"},
	[][]string{
		{"HopfieldPooling", "91.3 ± 0.5", "64.05 ± 0.4", "94.9 ± 0.3", "89.5 ± 0.8"},
		{"Path encoding (Küçükaşcı and Baydoğan 2018)", "91.0", "71.2", "94.4", "88.0"},
		{"MInD (Küçükaşcı and Baydoğan 2018)", "85.3", "70.4", "93.6", "83.1"},
		{"MILES (Carbonneau et al. 2016)", "87.2", "73.8", "92.7", "83.3"},
	},
}

// bar returns what SI-SVM reaches on a set, less its standard deviation, and whether it is known.
func bar(set string) (least float64, known bool) {
	i := slices.Index(carbonneau.sets, set)
	if i < 0 {
		return 0, false
	}
	cell := carbonneau.row(siSVM).cells[i]
	return (cell.mean - cell.sd) / 100, true
}

// belowBar returns the sets on which what is chosen in a column is below the bar, and those on which it is not.
func belowBar(g grid, column string) (below, others []string) {
	for _, set := range carbonneau.sets {
		r, there := g.cells[set][column]
		least, _ := bar(set)
		switch {
		case !there:
		case round(r.Mean) < round(least):
			below = append(below, set)
		default:
			others = append(others, set)
		}
	}
	return below, others
}

// besideLiterature has our figures below published ones, and why ours are below the bar where they are.
func besideLiterature(g grid, choices choices) string {
	columns := []string{anyModel, anyNetwork}
	var lines [][]string
	for _, r := range carbonneau.rows {
		lines = append(lines, r.line())
	}
	var b strings.Builder
	b.WriteString("Published figures, AUC × 100 (standard deviation over 10 repeats of 10 folds), Carbonneau et al. 2018, \"Multiple instance learning: a survey of problem characteristics and applications\", one code base, settings chosen inside the training part:\n\n")
	b.WriteString(table(append([]string{"method"}, carbonneau.sets...), append(lines, g.ours(columns, carbonneau.sets)...)))
	b.WriteString("Published figures, AUC × 100, Ramsauer et al. 2021, Table 1:\n\n")
	b.WriteString(table(append([]string{"method"}, ramsauer.sets...), append(slices.Clone(ramsauer.rows), g.ours(columns, ramsauer.sets)...)))
	b.WriteString("The Syn paper's own tables cannot be had as text, so they are not here. The experiment `nested-ensembles` has ensembles of ten networks beside SI-SVM.\n\n")
	b.WriteString(besideSISVM(g, columns, choices))
	return b.String()
}

// line is the row as it stands in a table.
func (r literatureRow) line() []string {
	line := []string{r.method}
	for _, c := range r.cells {
		line = append(line, c.String())
	}
	return line
}

// ours returns lines of our figures in some columns for tables of published ones.
func (g grid) ours(columns, sets []string) (lines [][]string) {
	for _, column := range columns {
		line := []string{"ours, " + column}
		for _, set := range sets {
			line = append(line, hundredfold(g.cells[set][column]))
		}
		lines = append(lines, line)
	}
	return lines
}

// besideSISVM says on which sets what is chosen in each column is below the bar, and why that of the first column is.
func besideSISVM(g grid, columns []string, choices choices) string {
	var rows [][]string
	for _, column := range columns {
		under, others := belowBar(g, column)
		if len(under)+len(others) > 0 {
			rows = append(rows, []string{"ours, " + column, listed(others), listed(under)})
		}
	}
	if len(rows) == 0 {
		return "None of these sets has been run yet.\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Beside %s, less the standard deviation in that row:\n\n", siSVM)
	b.WriteString(table([]string{"model", "not below it on", "below it on"}, rows))
	b.WriteString("Validation parts alone choose each row. Published rows are over ten repeats of different folds. Ours learn from four fifths of the training part, since the validation part is held out and nothing is refitted. We did not measure what that costs.\n\n")
	below, _ := belowBar(g, columns[0])
	var why [][]string
	for _, set := range below {
		least, _ := bar(set)
		why = append(why, choices.why(set, g.cells[set][columns[0]].Mean, least))
	}
	if len(why) > 0 {
		fmt.Fprintf(&b, "Where \"%s\" is below, and why. AUC × 100 of the test part, which chooses nothing, so the best in hindsight is too high:\n\n%s", columns[0], wordTable(whyHead, why))
	}
	return b.String()
}

func hundredfold(r results.Row) string {
	switch {
	case r.N == 0:
		return ""
	case r.SD == nil:
		return fmt.Sprintf("%.1f", 100*r.Mean)
	}
	return fmt.Sprintf("%.1f (%.1f)", 100*r.Mean, 100**r.SD)
}
