package cell

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/janpfeifer/gonb/gonbui/protocol"

	"synpool/internal/notebook"
	"synpool/internal/printable"
	"synpool/milbench/charts"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/results"
	"synpool/plotting"
)

// Show displays values under the cell: bags as a card and a figure, a comparison as a table and a figure, models, predictions,
// explanations and figures; anything else as text. An error ends the cell with one line, so you can pass the results of a
// function that returns a figure and an error. Outside a notebook it prints text.
func Show(values ...any) {
	for _, v := range values {
		for _, part := range parts(v) {
			switch part := part.(type) {
			case Card:
				display(part)
			case *plotting.Figure:
				Check(part.Show())
			case string:
				fmt.Print(printable.Text(part))
			}
		}
	}
}

// parts returns the cards, figures and texts to show for a value. An error ends the cell.
func parts(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case error:
		Check(v)
		return nil
	case *plotting.Figure:
		if v == nil {
			return nil
		}
		return []any{v}
	case *Bags:
		all := []any{v.card()}
		if set := v.Set(); !set.Leaked { // whose figure would show the leak
			if figure, err := figureOf(set); err == nil { // there is none of two bags, or where all means are equal
				all = append(all, figure)
			}
		}
		return all
	case *Comparison:
		return append([]any{v.card()}, parts(v.Figure())...)
	case *Model:
		if l := v.Calibration(); l != nil && l.Calibration != nil {
			return append([]any{v.card()}, parts(Must(charts.Reliability(l)))...)
		}
		return []any{v.card()}
	case *Predictions:
		return []any{v.card()}
	case *Explanation:
		return append([]any{v.card()}, v.figures()...)
	case audit.Report:
		return []any{auditCard(v)}
	case results.Table:
		return []any{tableCard(v, nil)}
	case *Differences:
		return append([]any{v.card()}, parts(v.Figure())...)
	case *Removal:
		return append([]any{v.card()}, parts(v.Figure())...)
	case Threshold:
		return []any{v.card()}
	case Card:
		return []any{v}
	case []any:
		var all []any
		for _, one := range v {
			all = append(all, parts(one)...)
		}
		return all
	case fmt.Stringer:
		return []any{fmt.Sprintln(v)}
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		return []any{fmt.Sprintf("%+v\n", reflect.Indirect(r))}
	}
	return []any{fmt.Sprintln(v)}
}

// Card is a title with facts, a table and notes, for [Show].
type Card struct {
	title string
	facts [][2]string // names and values
	rows  [][]string  // a table, the header first
	notes []string

	html, text string // instead of all this
}

// add adds a fact.
func (c *Card) add(name, format string, values ...any) {
	c.facts = append(c.facts, [2]string{name, fmt.Sprintf(format, values...)})
}

// display shows a card: it sends HTML and text, and the notebook uses the one that it can show.
func display(c Card) {
	if c.text == "" {
		c.html, c.text = c.asHTML(), printable.Text(c.asText())
	}
	if !notebook.Running() {
		fmt.Print(c.text)
		return
	}
	Check(notebook.Send(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
		protocol.MIMETextHTML:  c.html,
		protocol.MIMETextPlain: strings.TrimRight(c.text, "\n"),
	}}))
}

// number reports whether a table cell is a number, which is right-aligned.
func number(text string) bool {
	_, err := mil.ParseNumber(text)
	return err == nil
}

const (
	tableStyle = "border-collapse:collapse;color:inherit;font-size:smaller"
	cellStyle  = "padding:0.2em 0.6em;border-bottom:1px solid rgba(128,128,128,0.4);text-align:"
)

func (c Card) asHTML() string {
	var b strings.Builder
	b.WriteString(`<div style="overflow-x:auto">`)
	if c.title != "" {
		fmt.Fprintf(&b, "<p><b>%s</b></p>", html.EscapeString(c.title))
	}
	if len(c.facts) > 0 {
		fmt.Fprintf(&b, `<table style="%s">`, tableStyle)
		for _, f := range c.facts {
			fmt.Fprintf(&b, `<tr><th style="%sleft">%s</th><td style="%sleft;overflow-wrap:anywhere">%s</td></tr>`, cellStyle, html.EscapeString(f[0]), cellStyle, html.EscapeString(f[1]))
		}
		b.WriteString("</table>")
	}
	if len(c.rows) > 0 {
		right := make([]bool, len(c.rows[0])) // columns of numbers
		for k := range right {
			right[k] = len(c.rows) > 1 && !slices.ContainsFunc(c.rows[1:], func(row []string) bool { return row[k] != "" && !number(row[k]) })
		}
		fmt.Fprintf(&b, `<table style="%s">`, tableStyle)
		for i, row := range c.rows {
			b.WriteString("<tr>")
			for k, text := range row {
				tag, side := "td", "left"
				if i == 0 {
					tag = "th"
				}
				if right[k] {
					side = "right"
				}
				fmt.Fprintf(&b, `<%s style="%s%s">%s</%s>`, tag, cellStyle, side, html.EscapeString(text), tag)
			}
			b.WriteString("</tr>")
		}
		b.WriteString("</table>")
	}
	for _, note := range c.notes {
		fmt.Fprintf(&b, `<p style="font-size:smaller;margin:0.5em 0">%s</p>`, html.EscapeString(note))
	}
	b.WriteString("</div>")
	return b.String()
}

func (c Card) asText() string {
	var b bytes.Buffer
	if c.title != "" {
		fmt.Fprintln(&b, c.title)
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range c.facts {
		fmt.Fprintf(t, "%s\t%s\n", f[0], f[1])
	}
	t.Flush()
	for _, row := range c.rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for _, note := range c.notes {
		fmt.Fprintln(&b, note)
	}
	return b.String()
}

// card describes the bags and the findings of an audit.
func (b *Bags) card() Card {
	o, r := Must(b.read()), b.Audit()
	c := Card{title: o.set.Name, notes: o.notes}
	c.add("bags", "%d", len(o.set.Bags))
	c.add("target", "%s", targetOf(o.set))
	c.add("instances", "%d, %d to %d per bag, median %v", r.Instances, r.BagSize.Min, r.BagSize.Max, r.BagSize.Median)
	c.add("features", "%d", o.set.NumFeatures())
	if groups := groupsOf(o.set); groups > 0 {
		c.add("groups", "%d", groups)
	}
	c.add("audit", "%s", finding(r))
	return c
}

// targetOf describes the targets of bags: how many are of each class, or their range.
func targetOf(set *mil.Set) string {
	if set.NumClasses() == 0 {
		var values []float64
		events := 0
		for _, bag := range set.Bags {
			if values = append(values, bag.Value); bag.Event {
				events++
			}
		}
		if set.Kind == mil.SurvivalTarget {
			return fmt.Sprintf("times %s, %s", summary(values), counted(events, "event", "events"))
		}
		return "numbers " + summary(values)
	}
	var parts []string
	for class := range set.NumClasses() {
		name := set.ClassName(class)
		if set.Kind == mil.BinaryTarget && set.Classes == nil {
			name = []string{"negative", "positive"}[class]
		}
		parts = append(parts, fmt.Sprintf("%d %s", set.NumLabelled(class), name))
	}
	return strings.Join(parts, ", ")
}

func groupsOf(set *mil.Set) int {
	groups := make(map[string]bool)
	for _, b := range set.Bags {
		if b.Group != "" {
			groups[b.Group] = true
		}
	}
	return len(groups)
}

// finding returns the findings of an audit in one line.
func finding(r audit.Report) string {
	var parts []string
	switch {
	case r.Blind:
		parts = append(parts, "leaking columns are not looked for")
	case len(r.Leaks) == 0:
		parts = append(parts, "no column leaks the labels")
	default:
		parts = append(parts, counted(len(r.Leaks), "column leaks the labels", "columns leak the labels"))
	}
	if r.Constant > 0 {
		parts = append(parts, counted(r.Constant, "constant column", "constant columns"))
	}
	if n := len(r.Duplicates); n > 0 {
		parts = append(parts, counted(n, "group of equal bags", "groups of equal bags"))
	}
	return strings.Join(parts, "; ")
}

// counted returns a number with its noun.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// auditCard returns all findings of an audit.
func auditCard(r audit.Report) Card {
	c := Card{title: "audit of " + r.Name}
	c.add("finding", "%s", finding(r))
	c.add("columns", "%d as stored; %.1f %% of all values are not 0", r.Features, 100*r.Density)
	for _, d := range r.Duplicates {
		conflict := ""
		if d.Conflict {
			conflict = ", with different labels"
		}
		c.add("the same bag", "%s%s", strings.Join(d.Bags, ", "), conflict)
	}
	if r.Shared > 0 {
		c.add("shared", "%s", counted(r.Shared, "instance stands in several bags", "instances stand in several bags"))
	}
	for _, l := range r.Leaks {
		c.add("leak", "%v", l)
	}
	for _, l := range r.Strong {
		c.add("strong", "%s", l.Strength())
	}
	if !r.OK() {
		c.notes = []string{"a figure computed with such a column among the features means nothing"}
	}
	return c
}

// card shows the scores of a comparison.
func (c *Comparison) card() Card { return tableCard(c.Table(), Must(c.do()).notes) }

// tableCard shows scores, the best first, and further notes. What all rows share stands above them.
func tableCard(t results.Table, notes []string) Card {
	t.Rows = slices.Clone(t.Rows)
	t.Rank()
	best := t.Rows[0]
	shown := Card{title: fmt.Sprintf("%s: %s, %s", best.Set, best.ProtocolText(), counted(best.N, "repeat", "repeats"))}
	header := []string{"learner", best.Figure, "95 % interval"}
	for _, r := range t.Rows {
		for _, f := range beside(r) {
			if !slices.Contains(header, f.Name) {
				header = append(header, f.Name)
			}
		}
	}
	shown.rows = [][]string{header}
	for _, r := range t.Rows {
		row := make([]string, len(header))
		if row[0] = r.Setting; r.Set != best.Set || r.ProtocolText() != best.ProtocolText() {
			row[0] += fmt.Sprintf(" (%s: %s)", r.Set, r.ProtocolText())
		}
		if row[1] = fmt.Sprintf("%.3f", r.Mean); r.SD != nil {
			row[1] += fmt.Sprintf(" ± %.3f", *r.SD)
		}
		if r.Low != nil {
			row[2] = fmt.Sprintf("%.3f to %.3f", *r.Low, *r.High)
		}
		for _, f := range beside(r) {
			row[slices.Index(header, f.Name)] = fmt.Sprintf("%.3f", f.Value)
		}
		shown.rows = append(shown.rows, row)
	}
	shown.notes = slices.Clone(t.Verdicts)
	if over := map[results.Interval]string{results.OverRepeats: "repeats, other folds and seeds on the same bags", results.OverBags: "test bags (DeLong)",
		results.OverFolds: "folds, corrected for the training bags that they share"}[best.Interval]; over != "" {
		shown.notes = append(shown.notes, "intervals over "+over+"; go doc synpool/milbench/results.Row describes all figures")
	}
	for _, note := range slices.Concat(t.Notes, notes) {
		shown.notes = append(shown.notes, spoken(note))
	}
	return shown
}

// beside returns the figures of a row beside its main one.
func beside(r results.Row) []results.Named {
	list := r.Named()[1:]
	if r.InstanceAUC != nil {
		list = append(list, results.Named{Name: "AUC of instances", Value: *r.InstanceAUC})
	}
	if l := r.Localised; l != nil {
		list = append(list, results.Named{Name: "AP of instances", Value: l.AP.Value}, results.Named{Name: "Dice of instances", Value: l.Dice.Value})
		if l.FROCMean != nil {
			list = append(list, results.Named{Name: "FROC", Value: l.FROCMean.Value})
		}
	}
	if r.Group != nil {
		list = append(list, results.Named{Name: "group " + r.Figure, Value: r.Group.Mean})
	}
	return list
}

// card describes the model.
func (m *Model) card() Card {
	a := m.About()
	c := Card{title: m.name}
	if leaked := Must(m.load()).Leaked(); leaked != "" {
		c.notes = []string{leakNote(leaked)}
	}
	c.add("trained on", "%s", a.Set)
	target := a.Target.String()
	if a.Classes != nil {
		target = strings.Join(a.Classes, ", ")
	}
	c.add("target", "%s", target)
	c.add("features", "%d", a.NumFeatures)
	l := m.Calibration()
	if conformal := predict.ConformalNote(l); conformal != "" {
		c.notes = append(c.notes, conformal)
	}
	if l != nil && l.Calibration != nil {
		c.add("probability", "%s", l.Calibration.Formula())
		c.notes = append(c.notes, predict.CalibrationNote(a, l))
		if warning := l.Calibration.Warning(); warning != "" {
			c.notes = append(c.notes, warning)
		}
	}
	if len(a.Members) > 0 {
		c.rows = [][]string{{"learner", "weight", results.FigureName(a.Target) + " inside"}}
		for _, member := range a.Members {
			c.rows = append(c.rows, []string{Learner{fixed: member.Setting}.String(), fmt.Sprintf("%.3f", member.Weight), fmt.Sprintf("%.3f", member.Figure)})
		}
		return c
	}
	c.add("setting", "%s", a.Setting)
	return c
}

// mostShown is the number of rows shown of a long table.
const mostShown = 10

// card shows the first predictions.
func (p *Predictions) card() Card {
	said := Must(p.do())
	rows := Must(said.table())
	c := Card{title: fmt.Sprintf("%d bags", len(said.Predictions.Bags)), rows: rows[:min(len(rows), mostShown+1)]}
	if more := len(rows) - len(c.rows); more > 0 {
		c.notes = append(c.notes, fmt.Sprintf("and %d more", more))
	}
	for _, note := range said.notes {
		c.notes = append(c.notes, spoken(note))
	}
	return c
}

// card shows the most important instances, with their features.
func (e *Explanation) card() Card {
	said := Must(e.do())
	value, values := "score", said.weights()
	if !said.scored() {
		value, values = "share", said.shares()
	}
	header := []string{"instance", value}
	for _, name := range said.classes {
		header = append(header, "for "+name)
	}
	order := said.order()[:min(mostShown, said.x.Len())]
	features := make([][]float32, len(order))
	for k, i := range order {
		features[k] = make([]float32, said.x.Features())
		Check(said.x.Read(i, i+1, features[k]))
	}
	var columns []int // of the features, without those that say that nothing is missing
	for j, name := range said.features {
		if !strings.HasSuffix(name, "=missing") || slices.ContainsFunc(features, func(row []float32) bool { return row[j] != 0 }) {
			columns = append(columns, j)
		}
	}
	most := min(len(columns), mostShown)
	for _, j := range columns[:most] {
		header = append(header, said.features[j])
	}
	c := Card{title: said.title, rows: [][]string{header}, notes: said.notes}
	for k, i := range order {
		row := []string{strconv.Itoa(i), fmt.Sprintf("%.3f", values[i])}
		for _, name := range said.classes {
			row = append(row, fmt.Sprintf("%.3f", said.bag.Instances[i].Scores[name]))
		}
		for _, j := range columns[:most] {
			row = append(row, fmt.Sprintf("%.4g", features[k][j]))
		}
		c.rows = append(c.rows, row)
	}
	if more := said.x.Len() - mostShown; more > 0 {
		c.notes = append(c.notes, fmt.Sprintf("and %d more instances", more))
	}
	if more := len(columns) - most; more > 0 {
		c.notes = append(c.notes, fmt.Sprintf("and %d more features", more))
	}
	return c
}

// listed lists the first of some names.
func listed(names []string) string {
	const most = 5
	text := strings.Join(names[:min(most, len(names))], ", ")
	if len(names) > most {
		text += " and so on"
	}
	return text
}

// Check ends the cell if there is an error.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, printable.Text(spoken(err.Error())))
		os.Exit(1)
	}
}
