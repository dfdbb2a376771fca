package report

import (
	"slices"

	"synpool/milbench/study"
)

// grid is rows of a table in two directions, both in the order in which they first stand.
type grid struct {
	lines, columns []string
	cells          map[string]map[string]study.Row // by line and column
}

// newGrid places rows by the names of their line and column.
func newGrid(rows []study.Row, place func(study.Row) (line, column string)) grid {
	g := grid{cells: make(map[string]map[string]study.Row)}
	for _, r := range rows {
		line, column := place(r)
		if g.cells[line] == nil {
			g.cells[line] = make(map[string]study.Row)
			g.lines = append(g.lines, line)
		}
		if !slices.Contains(g.columns, column) {
			g.columns = append(g.columns, column)
		}
		g.cells[line][column] = r
	}
	return g
}

// markdown returns the means and their standard deviations, under a head for the names of the lines.
func (g grid) markdown(head string) string { return g.show(head, meanSD) }

// instances returns the AUCs of instances, "" where no row has one.
func (g grid) instances(head string) string {
	any := false
	text := g.show(head, func(r study.Row) string {
		if r.InstanceAUC == nil {
			return ""
		}
		any = true
		return number(*r.InstanceAUC)
	})
	if !any {
		return ""
	}
	return "The AUC of instances, by their weights, within positive test bags (0.5: the weights do not tell):\n\n" + text
}

// show returns a figure of every row, under a head for the names of the lines.
func (g grid) show(head string, figure func(study.Row) string) string {
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

// means returns the means in some columns, of the lines that have all of them.
func (g grid) means(columns []string) [][]float64 {
	var rows [][]float64
	for _, line := range g.lines {
		var row []float64
		for _, column := range columns {
			if r, ok := g.cells[line][column]; ok {
				row = append(row, r.AUCMean)
			}
		}
		if len(row) == len(columns) {
			rows = append(rows, row)
		}
	}
	return rows
}
