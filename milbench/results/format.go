package results

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Formats lists the formats for [Table.Write], the default first.
var Formats = []string{"md", "csv", "tex", "html", "json"}

// Write writes the table as Markdown (md), comma-separated values (csv), a LaTeX booktabs tabular (tex), an HTML
// fragment (html) or a JSON array of rows (json). All formats mark rows that are leaked or optimistic. Markdown,
// LaTeX and HTML end with the notes; with csv and json the caller must show them. In HTML the best figure of a set is
// bold if a verdict calls all other rows worse beyond chance.
func (t Table) Write(w io.Writer, format string) error {
	switch format {
	case "md":
		return t.writeMarkdown(w)
	case "csv":
		return t.writeCSV(w)
	case "tex":
		return t.writeLaTeX(w)
	case "html":
		return t.writeHTML(w)
	case "json":
		rows := make([]any, len(t.Rows))
		for i, r := range t.Rows {
			if rows[i] = r; r.mean() == nil { // JSON has no NaN
				rows[i] = struct {
					Row
					Mean *float64 `json:"mean"`
				}{Row: r}
			}
		}
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(rows)
	}
	return fmt.Errorf("--format %q: no such format; %s", format, spelling.Hint(format, Formats))
}

// column is a printed column.
type column struct {
	heading string
	text    bool // left-aligned
	cell    func(r Row) string
}

// columns returns the columns to print for rows of one kind of target. It has columns for the AUC of instances and
// groups if any row has one.
func (t Table) columns(plusMinus, dash string) []column {
	all := figures[t.Rows[0].Target]
	main := func(r Row) string {
		switch {
		case math.IsNaN(r.Mean):
			return ""
		case r.SD == nil:
			return threeDigits(r.Mean)
		}
		return threeDigits(r.Mean) + " " + plusMinus + " " + threeDigits(*r.SD)
	}
	interval := func(r Row) string {
		if r.Low == nil {
			return ""
		}
		cell := threeDigits(*r.Low) + dash + threeDigits(*r.High)
		if r.Interval != OverRepeats {
			cell += " " + string(r.Interval)
		}
		return cell
	}
	list := []column{
		{"Set", true, func(r Row) string { return r.Set }}, {"Setting", true, func(r Row) string { return r.Setting }},
		{all[0].heading, false, main}, {"95 % CI", false, interval}, {"n", false, func(r Row) string { return strconv.Itoa(r.N) }},
	}
	if t.Rows[0].Target == mil.BinaryTarget {
		list = append(list, column{"SE", false, func(r Row) string { return optional(r.SE, 3) }})
	}
	for _, f := range all[1:] {
		list = append(list, column{f.heading, false, func(r Row) string { return optional(r.other(f), 3) }})
	}
	if t.instances() {
		list = append(list, column{"inst. AUC", false, func(r Row) string {
			if r.Localised == nil {
				return optional(r.InstanceAUC, 3)
			}
			return r.Localised.AUC.text(dash)
		}})
	}
	if t.localised() {
		list = append(list, column{"inst. AP", false, func(r Row) string { return r.localised(func(l *LocalisedRow) string { return l.AP.text(dash) }) }},
			column{"inst. Dice", false, func(r Row) string { return r.localised(func(l *LocalisedRow) string { return l.Dice.text(dash) }) }})
	}
	if t.froc() {
		list = append(list, column{"FROC", false, func(r Row) string {
			return r.localised(func(l *LocalisedRow) string {
				if l.FROCMean == nil {
					return ""
				}
				return l.FROCMean.text(dash)
			})
		}})
	}
	if t.groups() {
		list = append(list, column{"group " + all[0].heading, false, func(r Row) string {
			if r.Group == nil {
				return ""
			}
			return threeDigits(r.Group.Mean)
		}})
	}
	return append(list, column{"Protocol", true, Row.ProtocolText})
}

// other returns a figure other than the main one, or nil if the row lacks it.
func (r Row) other(f figure) *float64 {
	if value, ok := r.Figures[f.key]; ok {
		return &value
	}
	return nil
}

// byTarget yields one table per kind of target.
func (t Table) byTarget() iter.Seq[Table] {
	return func(yield func(Table) bool) {
		rows := make(map[mil.TargetKind][]Row)
		for _, r := range t.Rows {
			rows[r.Target] = append(rows[r.Target], r)
		}
		for _, kind := range slices.Sorted(maps.Keys(rows)) {
			if !yield(Table{Rows: rows[kind]}) {
				return
			}
		}
	}
}

// groups reports whether any row has a figure of groups.
func (t Table) groups() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Group != nil })
}

// instances reports whether any row has an instance AUC.
func (t Table) instances() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.InstanceAUC != nil })
}

// localised reports whether any row has other figures of instances.
func (t Table) localised() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Localised != nil })
}

// froc reports whether any row has lesions.
func (t Table) froc() bool {
	return slices.ContainsFunc(t.Rows, func(r Row) bool { return r.Localised != nil && r.Localised.FROCMean != nil })
}

// localised returns the text for a figure of instances, "" without them.
func (r Row) localised(text func(*LocalisedRow) string) string {
	if r.Localised == nil {
		return ""
	}
	return text(r.Localised)
}

// text returns an estimate with its interval.
func (e Estimate) text(dash string) string {
	if e.Low == nil {
		return threeDigits(e.Value)
	}
	return threeDigits(e.Value) + " (" + threeDigits(*e.Low) + dash + threeDigits(*e.High) + ")"
}

// legends explains the columns for each kind of target.
var legends = map[mil.TargetKind]string{
	mil.BinaryTarget: "AUC: " + ofFoldsAndRepeats + overRepeatsOrFolds + ", else over test bags (\"bags\", DeLong); " +
		"SE: DeLong standard error of one repeat, over test bags; pooled AUC, accuracy, balanced accuracy and log-loss: all folds of a repeat together; " +
		"AP: average precision.",
	mil.ClassTarget: "macro AUC: of one class against the rest, mean over the classes, " + ofFoldsAndRepeats + overRepeatsOrFolds +
		"; the other figures: all folds of a repeat together; kappa: Cohen's with quadratic weights, for classes in the order that is named below (--order changes it).",
	mil.RealTarget: "R²: the share of the variance that predictions explain, " + ofFoldsAndRepeats + overRepeatsOrFolds +
		"; the other figures: all folds of a repeat together; RMSE and MAE: root mean square and mean size of the errors, in the unit of the target; Spearman: rank correlation.",
	mil.SurvivalTarget: "concordance: the share of comparable pairs of bags whose risks are in order (Harrell's C), " + ofFoldsAndRepeats + overRepeatsOrFolds +
		"; pooled concordance and AUC(t): all folds of a repeat together; AUC(t): cumulative AUC, mean over the quartiles of the times of events; " +
		"IBS: integrated Brier score of predicted survival curves, mean over the folds (smaller is better; about 0.25 if every bag has 1/2 at all times; empty of models without curves).",
}

const (
	ofFoldsAndRepeats  = "mean over the folds of a repeat, then mean ± standard deviation over n repeats; "
	overRepeatsOrFolds = "95 % CI: t interval over repeats, three at least (other folds and seeds on the same bags: the chance in splitting and training, not that of drawing new bags), " +
		"else over five folds or more (\"folds\"), corrected for the training bags that these share"
)

// optional formats a figure with a number of decimals, or returns "" if it is missing.
func optional(x *float64, decimals int) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', decimals, 64)
}

func threeDigits(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// ProtocolText returns the protocol, the folds and the marks.
func (r Row) ProtocolText() string {
	cell := r.Protocol
	switch {
	case r.Folds == 1 && r.Protocol == cv.PublishedProtocol:
		cell += ", shuffled split"
	case r.Folds == 1:
		cell += ", official split"
	case r.FoldsRun < r.Folds:
		cell += fmt.Sprintf(", %d of %d folds", r.FoldsRun, r.Folds)
	default:
		cell += fmt.Sprintf(", %d folds", r.Folds)
	}
	if r.Splits != "" {
		cell += fmt.Sprintf(" given as %.8s", r.Splits)
	}
	if r.Shots > 0 {
		cell += fmt.Sprintf(", shots %d", r.Shots)
	}
	switch {
	case r.Inner > 0:
		cell += fmt.Sprintf(", %d inside", r.Inner)
	case r.Protocol == cv.NestedProtocol:
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

// lines returns the columns, and the headings and cells of all rows.
func (t Table) lines(plusMinus, dash string) (columns []column, lines [][]string) {
	columns = t.columns(plusMinus, dash)
	var headings []string
	for _, c := range columns {
		headings = append(headings, c.heading)
	}
	lines = append(lines, headings)
	for _, r := range t.Rows {
		var cells []string
		for _, c := range columns {
			cells = append(cells, c.cell(r))
		}
		lines = append(lines, cells)
	}
	return columns, lines
}

var (
	markdownCell = strings.NewReplacer("|", `\|`, "\n", " ")
	markdownLink = regexp.MustCompile(`<[A-Za-z/!?]|\]\(`)
)

// markdownText keeps a text inside its cell, and makes no tag or link of it.
func markdownText(text string) string {
	return markdownLink.ReplaceAllString(markdownCell.Replace(text), `\$0`)
}

// markdown writes rows as a table; the first row has the headings. text reports whether a column is left-aligned.
func markdown(b *strings.Builder, rows [][]string, text func(column int) bool) {
	width := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, c := range cells {
			cells[i] = markdownText(c)
			width[i] = max(width[i], len([]rune(cells[i])))
		}
	}
	for n, cells := range rows {
		for i, c := range cells {
			pad := strings.Repeat(" ", width[i]-len([]rune(c)))
			if text(i) {
				b.WriteString("| " + c + pad + " ")
			} else {
				b.WriteString("| " + pad + c + " ")
			}
		}
		b.WriteString("|\n")
		if n > 0 {
			continue
		}
		for i := range cells {
			if text(i) {
				b.WriteString("|:" + strings.Repeat("-", width[i]+1))
			} else {
				b.WriteString("|" + strings.Repeat("-", width[i]+1) + ":")
			}
		}
		b.WriteString("|\n")
	}
}

func (t Table) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	for part := range t.byTarget() {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		columns, lines := part.lines("±", "–")
		markdown(&b, lines, func(i int) bool { return columns[i].text })
		b.WriteString("\n" + legends[part.Rows[0].Target] + "\n")
	}
	for i, note := range slices.Concat(t.allNotes(), t.Verdicts) {
		if i > 0 || b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(markdownText(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// allNotes returns the notes and explains the marks, if any.
func (t Table) allNotes() []string {
	var optimistic, leaked, declared bool
	for _, r := range t.Rows {
		optimistic = optimistic || r.Optimistic
		leaked = leaked || r.Leaked
		declared = declared || r.Declared
	}
	var notes []string
	if t.instances() {
		notes = append(notes, "inst. AUC: within each test bag with instances of both kinds, the AUC of the instances' weights (of an instance classifier, their scores) "+
			"for the instance labels; mean over bags and fits.")
	}
	if t.localised() {
		notes = append(notes, "inst. AP, inst. Dice: likewise, average precision, and Dice above Otsu's threshold, which knows no label. In parentheses: 95 % interval of the "+
			"bootstrap over these bags or their groups. --format json and csv have the same pooled over the instances of all test bags of a fit, with the interval of the "+
			"jackknife over bags or groups, or none where all positive instances of a fold are of one bag or group.")
	}
	if t.froc() {
		notes = append(notes, "FROC: share of the lesions that are found, mean at 1/4, 1/2, 1, 2, 4 and 8 false positives per bag, as in CAMELYON16; mean over fits, "+
			"with the interval of the jackknife over bags or groups, or none where all positive instances of a fold are of one bag or group. milbench evaluate --help has the definitions.")
	}
	if t.groups() {
		notes = append(notes, "group figures: of the groups of bags, such as patients, by the mean of their scores (--json has that by the largest, too). A group is "+
			"positive if a bag of it is; there is no figure if its bags differ in class, time or event. Mean over folds and repeats.")
	}
	if optimistic {
		notes = append(notes, "optimistic: the epoch was chosen on the test part, so the figure is too good.")
	}
	if declared {
		notes = append(notes, "declared: another program made these scores; milbench has not seen its training.")
	}
	if leaked {
		notes = append(notes, "LEAKED: a column that leaks the bag label was among the features, so the figure means nothing.")
	}
	return append(notes, t.Notes...)
}

func (t Table) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	var others []figure
	for part := range t.byTarget() {
		for _, f := range figures[part.Rows[0].Target][1:] {
			if !slices.ContainsFunc(others, func(g figure) bool { return g.key == f.key }) {
				others = append(others, f)
			}
		}
	}
	headings := []string{"set", "setting", "target", "figure", "mean", "sd", "n", "protocol", "optimistic", "leaked", "declared", "folds", "folds_run",
		"test_bags", "low", "high", "interval", "se"}
	for _, f := range others {
		headings = append(headings, f.key)
	}
	headings = append(headings, "instance_auc")
	if t.localised() {
		headings = append(headings, "instance_auc_low", "instance_auc_high")
		for _, name := range []string{"instance_ap", "instance_dice", "instance_auc_pooled", "instance_ap_pooled", "instance_dice_pooled", "froc"} {
			headings = append(headings, name, name+"_low", name+"_high")
		}
	}
	c.Write(append(headings, "group_auc_mean", "group_auc_max", "checksum", "config", "backends", "versions", "revisions"))
	for _, r := range t.Rows {
		var groupMean, groupMax *float64
		if r.Group != nil {
			groupMean, groupMax = &r.Group.Mean, &r.Group.Max
		}
		cells := []string{r.Set, r.Setting, r.Target.String(), r.Figure, optional(r.mean(), 6), optional(r.SD, 6), strconv.Itoa(r.N), r.Protocol,
			mark(r.Optimistic, "optimistic"), mark(r.Leaked, "LEAKED"), mark(r.Declared, "declared"), strconv.Itoa(r.Folds), strconv.Itoa(r.FoldsRun),
			strconv.Itoa(r.TestBags), optional(r.Low, 6), optional(r.High, 6), string(r.Interval), optional(r.SE, 6)}
		for _, f := range others {
			cells = append(cells, optional(r.other(f), 6))
		}
		cells = append(cells, optional(r.InstanceAUC, 6))
		if l := r.Localised; l != nil {
			cells = append(cells, optional(l.AUC.Low, 6), optional(l.AUC.High, 6))
			for _, e := range []*Estimate{&l.AP, &l.Dice, &l.PooledAUC, &l.PooledAP, &l.PooledDice, l.FROCMean} {
				if e == nil {
					cells = append(cells, "", "", "")
					continue
				}
				cells = append(cells, optional(&e.Value, 6), optional(e.Low, 6), optional(e.High, 6))
			}
		} else if t.localised() {
			cells = append(cells, make([]string, 20)...)
		}
		c.Write(append(cells, optional(groupMean, 6), optional(groupMax, 6), r.Checksum,
			string(r.Config), strings.Join(r.Backends, ";"), strings.Join(r.Versions, ";"), strings.Join(r.Revisions, ";")))
	}
	c.Flush()
	return c.Error()
}

// mean returns the main figure, or nil if no fold has one.
func (r Row) mean() *float64 {
	if math.IsNaN(r.Mean) {
		return nil
	}
	return &r.Mean
}

// mark returns word if it applies, and "" otherwise.
func mark(applies bool, word string) string {
	if applies {
		return word
	}
	return ""
}

func (t Table) writeLaTeX(w io.Writer) error {
	escape := strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
		"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "|", `\textbar{}`, "<", `\textless{}`, ">", `\textgreater{}`, "±", `$\pm$`, "²", `\textsuperscript{2}`, "\n", " ")
	var b strings.Builder
	line := func(cells []string) {
		for i, c := range cells {
			if i > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(escape.Replace(c))
		}
		b.WriteString(" \\\\\n")
	}
	paragraph := func(text string) { b.WriteString("\n\\par " + escape.Replace(text) + "\n") }
	for part := range t.byTarget() {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		columns, lines := part.lines("±", "--")
		b.WriteString(`\begin{tabular}{` + "ll" + strings.Repeat("r", len(columns)-3) + "l}\n\\toprule\n")
		line(lines[0])
		b.WriteString("\\midrule\n")
		for _, cells := range lines[1:] {
			line(cells)
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
		paragraph(legends[part.Rows[0].Target])
	}
	for _, note := range slices.Concat(t.allNotes(), t.Verdicts) {
		paragraph(note)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
