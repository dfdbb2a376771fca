package results

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench"
)

// Formats lists the formats of [Table.Write], the default first.
var Formats = []string{"md", "csv", "tex", "json"}

// Write writes the table as Markdown (md), comma-separated values (csv), a LaTeX tabular of the booktabs package (tex)
// or a JSON array of rows (json). Rows that are leaked or optimistic are marked in all of them. Markdown and LaTeX end
// with the notes; beside csv and json they are the caller's to show.
func (t Table) Write(w io.Writer, format string) error {
	switch format {
	case "md":
		return t.writeMarkdown(w)
	case "csv":
		return t.writeCSV(w)
	case "tex":
		return t.writeLaTeX(w)
	case "json":
		rows := t.Rows
		if rows == nil {
			rows = []Row{}
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	if near := milbench.Nearest(format, Formats); near != "" {
		return fmt.Errorf("--format %q: no such format; did you mean %q?", format, near)
	}
	return fmt.Errorf("--format %q: no such format; use one of %s", format, strings.Join(Formats, ", "))
}

// headings of the printed columns; the first two and the last are text.
var headings = []string{"Set", "Setting", "AUC", "95 % CI", "n", "SE", "pooled AUC", "AP", "accuracy", "bal. acc.", "log-loss", "inst. AUC", "group AUC", "Protocol"}

// The places of the AUC of instances and of groups among the headings.
const (
	instanceColumn = 11
	groupColumn    = 12
)

// lines returns the headings and the printed columns of all rows. There are columns of the AUC of instances and of groups where any row
// has one.
func (t Table) lines(plusMinus, dash string) [][]string {
	lines := [][]string{slices.Clone(headings)}
	for _, r := range t.Rows {
		lines = append(lines, r.cells(plusMinus, dash))
	}
	drop := func(column int) {
		for i, cells := range lines {
			lines[i] = slices.Delete(cells, column, column+1)
		}
	}
	if !t.groups() {
		drop(groupColumn)
	}
	if !t.instances() {
		drop(instanceColumn)
	}
	return lines
}

// groups reports whether any row has an AUC of groups.
func (t Table) groups() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.GroupAUC != nil })
}

// instances reports whether any row has an AUC of instances.
func (t Table) instances() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.InstanceAUC != nil })
}

const legend = "AUC: mean over the folds of a repeat, then mean ± standard deviation over n repeats; " +
	"95 % CI: t interval over repeats, of which three are needed (other folds and seeds on the same bags: the chance in splitting and training, not that of drawing new bags), " +
	"else over five folds or more (\"folds\"), corrected for the training bags that these share, else over test bags (\"bags\", DeLong); " +
	"SE: DeLong standard error of one repeat, over test bags; pooled AUC, accuracy, balanced accuracy and log-loss: all folds of a repeat together; " +
	"AP: average precision."

// cells returns the printed columns of a row.
func (r Row) cells(plusMinus, dash string) []string {
	auc, ci, se, instances, groups := figure(r.AUCMean), "", "", "", ""
	if r.AUCSD != nil {
		auc += " " + plusMinus + " " + figure(*r.AUCSD)
	}
	if r.AUCLow != nil {
		ci = figure(*r.AUCLow) + dash + figure(*r.AUCHigh)
		if r.Interval != OverRepeats {
			ci += " " + string(r.Interval)
		}
	}
	if r.AUCSE != nil {
		se = figure(*r.AUCSE)
	}
	if r.InstanceAUC != nil {
		instances = figure(*r.InstanceAUC)
	}
	if r.GroupAUC != nil {
		groups = figure(r.GroupAUC.Mean)
	}
	return []string{
		r.Set, r.Setting, auc, ci, strconv.Itoa(r.N), se, figure(r.AUCPooled), figure(r.AveragePrecision),
		figure(r.Accuracy), figure(r.BalancedAccuracy), figure(r.LogLoss), instances, groups, r.protocolCell(),
	}
}

func figure(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// protocolCell names the protocol, the folds and the marks.
func (r Row) protocolCell() string {
	cell := r.Protocol
	switch {
	case r.Folds == 1 && r.Protocol == milbench.PublishedProtocol:
		cell += ", shuffled split"
	case r.Folds == 1:
		cell += ", official split"
	case r.FoldsRun < r.Folds:
		cell += fmt.Sprintf(", %d of %d folds", r.FoldsRun, r.Folds)
	default:
		cell += fmt.Sprintf(", %d folds", r.Folds)
	}
	switch {
	case r.Inner > 0:
		cell += fmt.Sprintf(", %d inside", r.Inner)
	case r.Protocol == milbench.NestedProtocol:
		cell += ", a fifth inside"
	}
	if r.Optimistic {
		cell += ", optimistic"
	}
	if r.Declared {
		cell += ", declared"
	}
	if r.Leaked {
		cell += ", LEAKED"
	}
	return cell
}

func (t Table) writeMarkdown(w io.Writer) error {
	escape := strings.NewReplacer("|", `\|`, "\n", " ")
	lines := t.lines("±", "–")
	last := len(lines[0]) - 1
	width := make([]int, last+1)
	for _, cells := range lines {
		for i, c := range cells {
			c = escape.Replace(c)
			cells[i] = c
			width[i] = max(width[i], len([]rune(c)))
		}
	}
	var b strings.Builder
	for n, cells := range lines {
		for i, c := range cells {
			pad := strings.Repeat(" ", width[i]-len([]rune(c)))
			if isText(i, last) {
				b.WriteString("| " + c + pad + " ")
			} else {
				b.WriteString("| " + pad + c + " ")
			}
		}
		b.WriteString("|\n")
		if n == 0 {
			for i := range cells {
				if isText(i, last) {
					b.WriteString("|:" + strings.Repeat("-", width[i]+1))
				} else {
					b.WriteString("|" + strings.Repeat("-", width[i]+1) + ":")
				}
			}
			b.WriteString("|\n")
		}
	}
	for _, note := range slices.Concat([]string{legend}, t.allNotes(), t.Verdicts) {
		b.WriteString("\n" + escape.Replace(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// isText reports whether a printed column is text, set to the left.
func isText(column, last int) bool { return column < 2 || column == last }

// allNotes returns the notes, and what the marks mean where there are any.
func (t Table) allNotes() []string {
	var optimistic, leaked, declared bool
	for _, r := range t.Rows {
		optimistic = optimistic || r.Optimistic
		leaked = leaked || r.Leaked
		declared = declared || r.Declared
	}
	var notes []string
	if t.instances() {
		notes = append(notes, "inst. AUC: within each positive test bag, the AUC of the instances' weights (of an instance classifier, their scores) "+
			"for the instance labels; mean over bags and fits.")
	}
	if t.groups() {
		notes = append(notes, "group AUC: of the groups of bags, such as patients, by the mean of their scores (--json has that by the largest, too); a group is "+
			"positive if a bag of it is. Mean over folds and repeats.")
	}
	if optimistic {
		notes = append(notes, "optimistic: the epoch was chosen on the test part, so the figure is too good.")
	}
	if declared {
		notes = append(notes, "declared: the scores are those of their author; nobody here has seen the training.")
	}
	if leaked {
		notes = append(notes, "LEAKED: a column that gives the bag label away was among the features, so the figure means nothing.")
	}
	return append(notes, t.Notes...)
}

func (t Table) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"set", "setting", "auc_mean", "auc_sd", "n", "protocol", "optimistic", "leaked", "folds", "folds_run",
		"test_bags", "auc_low", "auc_high", "auc_interval", "auc_se", "auc_pooled", "average_precision", "accuracy", "balanced_accuracy",
		"log_loss", "instance_auc", "group_auc_mean", "group_auc_max", "checksum", "config", "backends", "versions", "revisions"})
	for _, r := range t.Rows {
		var groupMean, groupMax *float64
		if r.GroupAUC != nil {
			groupMean, groupMax = &r.GroupAUC.Mean, &r.GroupAUC.Max
		}
		c.Write([]string{r.Set, r.Setting, sixDigits(&r.AUCMean), sixDigits(r.AUCSD), strconv.Itoa(r.N), r.Protocol,
			mark(r.Optimistic, "optimistic"), mark(r.Leaked, "LEAKED"), strconv.Itoa(r.Folds), strconv.Itoa(r.FoldsRun),
			strconv.Itoa(r.TestBags), sixDigits(r.AUCLow), sixDigits(r.AUCHigh), string(r.Interval), sixDigits(r.AUCSE), sixDigits(&r.AUCPooled),
			sixDigits(&r.AveragePrecision), sixDigits(&r.Accuracy), sixDigits(&r.BalancedAccuracy), sixDigits(&r.LogLoss), sixDigits(r.InstanceAUC), sixDigits(groupMean), sixDigits(groupMax), r.Checksum,
			string(r.Config), strings.Join(r.Backends, ";"), strings.Join(r.Versions, ";"), strings.Join(r.Revisions, ";")})
	}
	c.Flush()
	return c.Error()
}

// sixDigits formats a figure; a missing one is empty.
func sixDigits(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', 6, 64)
}

// mark returns the word where it applies and nothing elsewhere.
func mark(applies bool, word string) string {
	if applies {
		return word
	}
	return ""
}

func (t Table) writeLaTeX(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "|", `\textbar{}`, "<", `\textless{}`, ">", `\textgreater{}`, "±", `$\pm$`, "\n", " ")
	lines := t.lines("±", "--")
	var b strings.Builder
	b.WriteString(`\begin{tabular}{` + "ll" + strings.Repeat("r", len(lines[0])-3) + "l}\n\\toprule\n")
	line := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(escape.Replace(c))
		}
		b.WriteString(" \\\\\n")
	}
	line(lines[0])
	b.WriteString("\\midrule\n")
	for _, cells := range lines[1:] {
		line(cells)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, note := range slices.Concat([]string{legend}, t.allNotes(), t.Verdicts) {
		b.WriteString("\n\\par " + escape.Replace(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
