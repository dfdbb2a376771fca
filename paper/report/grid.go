package report

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

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

// markdown returns the means and their standard deviations, under a head for the names of the lines.
func (g grid) markdown(head string) string { return g.show(head, meanSD) }

// instances returns the AUCs of instances, "" where no row has one.
func (g grid) instances(head string) string {
	some := false
	text := g.show(head, func(r results.Row) string {
		if r.InstanceAUC == nil {
			return ""
		}
		some = true
		return number(*r.InstanceAUC)
	})
	if !some {
		return ""
	}
	return "The AUC of instances by their weights, within positive test bags (0.5: the weights say nothing):\n\n" + text
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

// means returns the means in some columns, of the lines that have all of them, which it names.
func (g grid) means(columns []string) (lines []string, rows [][]float64) {
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

// pooled puts the drawings of a generated set, and the shuffles of a set, together as repeats of one row.
func pooled(rows []results.Row) ([]results.Row, error) {
	var all []results.Row
	var instances [][]float64
	for _, r := range rows {
		r.Set, _ = drawingOf(r.Set)
		at := slices.IndexFunc(all, func(o results.Row) bool {
			return o.Set == r.Set && o.Protocol == r.Protocol && o.Folds == r.Folds && o.Inner == r.Inner && string(o.Config) == string(r.Config) &&
				(r.Config != nil || o.Setting == r.Setting)
		})
		if at < 0 {
			at = len(all)
			all, instances = append(all, r), append(instances, nil)
		} else {
			o := &all[at]
			o.Values = slices.Concat(o.Values, r.Values)
			o.N = len(o.Values)
		}
		if r.InstanceAUC != nil {
			instances[at] = append(instances[at], *r.InstanceAUC)
		}
	}
	for i := range all {
		r := &all[i]
		r.Mean = stat.Mean(r.Values, nil)
		if len(instances[i]) > 0 {
			mean := stat.Mean(instances[i], nil)
			r.InstanceAUC = &mean
		}
		if r.N < 2 {
			continue
		}
		sd, err := stats.SD(r.Values)
		if err != nil {
			return nil, err
		}
		_, low, high, err := stats.MeanInterval(r.Values, results.Level)
		if err != nil {
			return nil, err
		}
		if r.Target != mil.RealTarget { // R² has no least value
			low = max(low, 0)
		}
		high = min(high, 1)
		r.SD, r.Low, r.High = &sd, &low, &high
	}
	return all, nil
}

// pooledTable computes the rows of results, drawings put together.
func pooledTable(fits []results.Result) ([]results.Row, error) {
	t, err := tabulate(fits)
	if err != nil {
		return nil, err
	}
	return pooled(t.Rows)
}
