package report

import (
	"fmt"
	"math"
	"slices"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// tabulate tabulates results. The intervals of the study are over repeats: a row of one repeat has none.
func tabulate(fits []results.Result) results.Table { return overRepeats(must(results.Tabulate(fits))) }

func overRepeats(t results.Table) results.Table {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.N < 2 {
			r.Low, r.High = nil, nil
		}
	}
	return t
}

// grid is rows of a table in two directions, both in the order in which they first stand.
type grid struct {
	lines, columns []string
	cells          map[string]map[string]results.Row // by line and column
}

// newGrid places rows by the names of their line and column.
func newGrid(rows []results.Row, place func(results.Row) (line, column string)) grid {
	g := grid{cells: make(map[string]map[string]results.Row)}
	g.add(rows, place)
	return g
}

// add places more rows.
func (g *grid) add(rows []results.Row, place func(results.Row) (line, column string)) {
	for _, r := range rows {
		line, column := place(r)
		if g.cells[line] == nil {
			g.cells[line] = make(map[string]results.Row)
			g.lines = append(g.lines, line)
		}
		if !slices.Contains(g.columns, column) {
			g.columns = append(g.columns, column)
		}
		g.cells[line][column] = r
	}
}

// addBest adds a column of what the validation parts choose among all settings.
func (g *grid) addBest(fits []results.Result, column string) {
	g.add(overRepeats(must(results.TabulateBest(fits))).Rows, func(r results.Row) (string, string) { return r.Set, column })
}

// Table returns the means and their standard deviations, under a head for the names of the lines, Errors with their standard errors, and
// Intervals with intervals instead.
func (g grid) Table(head string) string { return g.show(head, meanSD) }

func (g grid) Intervals(head string) string { return g.show(head, meanInterval) }

// Instances returns the AUCs of instances; it fails where no row has one.
func (g grid) Instances(head string) string {
	some := false
	text := g.show(head, func(r results.Row) string {
		if r.InstanceAUC == nil {
			return ""
		}
		some = true
		return number(*r.InstanceAUC)
	})
	need(some)
	return text
}

// show returns a figure of every row, under a head for the names of the lines.
func (g grid) show(head string, figure func(results.Row) string) string {
	var rows [][]string
	for _, line := range g.lines {
		row := []string{line}
		for _, column := range g.columns {
			row = append(row, figure(g.cells[line][column]))
		}
		rows = append(rows, row)
	}
	return table(append([]string{head}, g.columns...), rows)
}

// AUC returns the mean of a cell, NaN where there is none.
func (g grid) AUC(line, column string) float64 {
	if r, there := g.cells[line][column]; there {
		return r.Mean
	}
	return math.NaN()
}

// aucs returns the means of all cells.
func (g grid) aucs() (rows [][]float64) {
	for _, line := range g.lines {
		var row []float64
		for _, column := range g.columns {
			row = append(row, g.AUC(line, column))
		}
		rows = append(rows, row)
	}
	return rows
}

// means returns the means in some columns, of the lines that have all of them, which it names.
func (g grid) means(columns ...string) (lines []string, rows [][]float64) {
	for _, line := range g.lines {
		var row []float64
		for _, column := range columns {
			if r, ok := g.cells[line][column]; ok {
				row = append(row, round(r.Mean))
			}
		}
		if len(row) == len(columns) {
			lines, rows = append(lines, line), append(rows, row)
		}
	}
	return lines, rows
}

// paired returns the means of two columns on the lines that have both.
func (g grid) paired(a, b string) (lines []string, x, y []float64) {
	lines, rows := g.means(a, b)
	return lines, column(rows, 0), column(rows, 1)
}

// meanSD is the cell of a row, empty for that which is not there.
func meanSD(r results.Row) string {
	switch {
	case r.N == 0:
		return ""
	case r.SD == nil:
		return number(r.Mean)
	}
	return number(r.Mean) + " ± " + number(*r.SD)
}

// meanSDSE is the cell of a row with its standard error.
func meanSDSE(r results.Row) string {
	if r.N == 0 || r.SE == nil {
		return meanSD(r)
	}
	return meanSD(r) + " (" + number(*r.SE) + ")"
}

// meanInterval is the cell of a row with its interval, if it has one.
func meanInterval(r results.Row) string {
	if r.Low == nil || r.High == nil {
		return meanSD(r)
	}
	return fmt.Sprintf("%s (%s to %s)", number(r.Mean), number(*r.Low), number(*r.High))
}

// rowBeside returns where the interval of a row lies beside a value; 0 where there is none.
func rowBeside(r results.Row, value float64) int {
	if r.Low == nil || r.High == nil {
		return 0
	}
	return beside(*r.Low, *r.High, value)
}

// pooledTable tabulates results, the drawings of a generated set, and the shuffles of a set, as repeats of one row.
func pooledTable(fits []results.Result) []results.Row { return pooled(tabulate(fits).Rows) }

// pooled puts drawings together.
func pooled(rows []results.Row) (all []results.Row) {
	instances := make(map[string][]float64) // AUCs of instances, by row
	key := func(r results.Row) string {
		if r.Config != nil { // the setting's label may differ from drawing to drawing
			r.Setting = ""
		}
		return fmt.Sprint(r.Set, r.Protocol, r.Folds, r.Inner, string(r.Config), r.Setting)
	}
	at := make(map[string]int)
	for _, r := range rows {
		r.Set, _ = drawingOf(r.Set)
		k := key(r)
		if i, there := at[k]; there {
			all[i].Values = slices.Concat(all[i].Values, r.Values)
		} else {
			at[k] = len(all)
			all = append(all, r)
		}
		if r.InstanceAUC != nil {
			instances[k] = append(instances[k], *r.InstanceAUC)
		}
	}
	for i := range all {
		r := &all[i]
		if of := instances[key(*r)]; len(of) > 0 {
			auc := mean(of)
			r.InstanceAUC = &auc
		}
		r.N, r.Mean = len(r.Values), mean(r.Values)
		overValues(r)
	}
	return all
}

// overValues sets the interval of a row from its values, one of each repeat.
func overValues(r *results.Row) {
	if r.N < 2 {
		return
	}
	sd, e := must(stats.SD(r.Values)), newEffect(r.Values, "repeats")
	if r.Target != mil.RealTarget { // R² has no least value
		e.Low = max(e.Low, 0)
	}
	e.High = min(e.High, 1)
	r.Mean, r.SD, r.Low, r.High = e.Value, &sd, &e.Low, &e.High
}
