package report

import (
	"fmt"
	"slices"
)

// literature is a published table of AUCs times 100, as printed: a row for each method.
type literature struct {
	sets []string
	rows [][]string
}

// carbonneau has means and standard deviations over ten repeats of ten folds: Carbonneau et al., "Multiple instance learning: a survey of
// problem characteristics and applications", Pattern Recognition 77 (2018); one code base, hyperparameters chosen inside the training part.
var carbonneau = literature{
	[]string{"musk1", "musk2", "tiger", "elephant", "fox"},
	[][]string{
		{"Citation-kNN", "93.5 (0.6)", "86.3 (1.5)", "85.9 (1.6)", "88.3 (1.0)", "65.9 (4.4)"},
		{"EM-DD", "87.4 (3.8)", "79.3 (5.4)", "76.5 (1.9)", "87.5 (1.6)", "66.2 (2.8)"},
		{"EMD-kernel", "95.2 (2.0)", "97.5 (1.2)", "92.6 (0.8)", "95.0 (0.8)", "68.0 (1.5)"},
		{"mi-SVM", "94.5 (2.0)", "92.6 (1.2)", "84.8 (1.0)", "92.2 (1.1)", "64.3 (2.7)"},
		{"MI-SVM", "94.2 (1.2)", "94.5 (1.8)", "90.2 (0.9)", "89.3 (1.8)", "68.2 (2.5)"},
		{"MILES", "93.9 (1.5)", "94.4 (1.5)", "89.3 (1.6)", "88.2 (1.8)", "73.9 (3.5)"},
		{"MInD", "95.6 (0.8)", "96.3 (0.9)", "87.8 (1.3)", "92.1 (0.9)", "66.9 (1.0)"},
		{siSVM, "93.2 (1.8)", "93.0 (1.3)", "86.4 (1.0)", "92.6 (0.5)", "67.3 (2.5)"},
	},
}

// siSVM is the method that a deep model must not fall below: an instance classifier and a maximum.
const siSVM = "SI-SVM"

// ramsauer is Table 1 of Ramsauer et al., "Hopfield networks is all you need", International Conference on Learning
// Representations (2021): nested 10-fold cross-validation (UCSB: 4 folds), 5 repeats. Two methods are quoted there from Küçükaşcı and
// Baydoğan, "Bag encoding strategies in multiple instance learning problems", Information Sciences 467 (2018), and one from Carbonneau et
// al., "Robust multiple-instance learning ensembles using random subspace instance selection", Pattern Recognition 58 (2016).
var ramsauer = literature{
	[]string{"tiger", "fox", "elephant", "ucsb"},
	[][]string{
		{"HopfieldPooling", "91.3 ± 0.5", "64.05 ± 0.4", "94.9 ± 0.3", "89.5 ± 0.8"},
		{"Path encoding (Küçükaşcı and Baydoğan 2018)", "91.0", "71.2", "94.4", "88.0"},
		{"MInD (Küçükaşcı and Baydoğan 2018)", "85.3", "70.4", "93.6", "83.1"},
		{"MILES (Carbonneau et al. 2016)", "87.2", "73.8", "92.7", "83.3"},
	},
}

// row returns the row of a method.
func (l literature) row(method string) []string {
	return l.rows[slices.IndexFunc(l.rows, func(r []string) bool { return r[0] == method })]
}

// auc returns the AUC of a method on a set, times 100, and its standard deviation if that is printed in brackets.
func (l literature) auc(method, set string) (auc, sd float64) {
	text := l.row(method)[1+slices.Index(l.sets, set)]
	if n, _ := fmt.Sscanf(text, "%f (%f)", &auc, &sd); n == 0 {
		try(fmt.Errorf("published AUC %q", text))
	}
	return auc, sd
}

// best returns the best method on a set.
func (l literature) best(set string) (method string, auc float64) {
	for _, row := range l.rows {
		if v, _ := l.auc(row[0], set); v > auc {
			method, auc = row[0], v
		}
	}
	return method, auc
}

// literary is a grid with columns that stand beside published figures.
type literary struct {
	grid
	Choices choices
	shown   []string // the columns
}

// beside is a table of published methods, ours below.
func (l literary) beside(published literature, rows ...[]string) string {
	for _, column := range l.shown {
		line := []string{"ours, " + column}
		for _, set := range published.sets {
			text := ""
			if r := l.cells[set][column]; r.N > 0 {
				text = hundred(r.Mean)
				if r.SD != nil {
					text += fmt.Sprintf(" (%s)", hundred(*r.SD))
				}
			}
			line = append(line, text)
		}
		rows = append(rows, line)
	}
	return table(append([]string{"method"}, published.sets...), rows)
}

// Carbonneau and Ramsauer are the published tables, with ours below.
func (l literary) Carbonneau() string { return l.beside(carbonneau, slices.Clone(carbonneau.rows)...) }

func (l literary) Ramsauer() string { return l.beside(ramsauer, slices.Clone(ramsauer.rows)...) }

// bar returns what SI-SVM reaches on a set, less its standard deviation.
func bar(set string) float64 {
	auc, sd := carbonneau.auc(siSVM, set)
	return (auc - sd) / 100
}

// split returns the sets on which something is true of what is chosen in a column, and those on which it is not.
func (l literary) split(column string, is func(set string, auc float64) bool) (sets, others []string) {
	for _, set := range carbonneau.sets {
		r, there := l.cells[set][column]
		switch {
		case !there:
		case is(set, r.Mean):
			sets = append(sets, set)
		default:
			others = append(others, set)
		}
	}
	need(len(sets)+len(others) > 0)
	return sets, others
}

func belowBar(set string, auc float64) bool { return round(auc) < round(bar(set)) }

// BesideSISVM says on which sets what is chosen in each column is below the bar.
func (l literary) BesideSISVM() string {
	var rows [][]string
	for _, column := range l.shown {
		below, others := l.split(column, belowBar)
		rows = append(rows, []string{"ours, " + column, listed(others), listed(below)})
	}
	return table([]string{"model", "not below it on", "below it on"}, rows)
}

// Why says why what is chosen in the first column is below the bar.
func (l literary) Why() string {
	var rows [][]string
	below, _ := l.split(l.shown[0], belowBar)
	for _, set := range below {
		rows = append(rows, l.Choices.why(set, l.cells[set][l.shown[0]].Mean, bar(set)))
	}
	return wordTable(whyHead, rows)
}

// Above names the sets on which a column is above every published row, and Under the others with the best row.
func (l literary) Above(column string) []string {
	above, _ := l.split(column, aboveAll)
	return above
}

func (l literary) Under(column string) (names []string) {
	_, under := l.split(column, aboveAll)
	for _, set := range under {
		method, best := carbonneau.best(set)
		names = append(names, fmt.Sprintf("%s (%s; %s has %.1f)", set, hundred(l.cells[set][column].Mean), method, best))
	}
	return names
}

func aboveAll(set string, auc float64) bool {
	_, best := carbonneau.best(set)
	return 100*auc > best
}
