package charts

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// Table draws the main figure of every setting on every set ([results.Row]), or on the sets of these names in the table, with intervals
// as the table has them. All sets must have targets of one kind, as different figures share no axis.
func Table(fits []results.Result, sets ...string) (*plotting.Figure, error) {
	t, err := results.Tabulate(fits)
	if err != nil {
		return nil, err
	}
	rows, err := ofSets(t.Rows, sets)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.Target != rows[0].Target {
			return nil, fmt.Errorf("sets of several kinds of target, such as %s (%v) and %s (%v); choose sets of one kind with --set",
				rows[0].Set, rows[0].Target, r.Set, r.Target)
		}
	}
	name := rows[0].Figure
	rows = slices.DeleteFunc(rows, func(r results.Row) bool { return len(r.Values) == 0 }) // no fold has the figure
	if len(rows) == 0 {
		return nil, fmt.Errorf("no test part has the figure %s; the table says why", name)
	}
	m := plotting.Measure{Name: rows[0].Figure, Neutral: 0.5, Meaning: "chance"}
	if rows[0].Target == mil.RealTarget {
		m.Least, m.Neutral, m.Meaning = math.Inf(-1), 0, "predicting the mean"
	}
	var drawn []plotting.IntervalRow
	settingOf := rowName(rows)
	alone := !slices.ContainsFunc(rows, func(r results.Row) bool { return r.Set != rows[0].Set })
	if alone { // the settings name the rows
		slices.SortStableFunc(rows, func(a, b results.Row) int { return cmp.Compare(b.Mean, a.Mean) })
	}
	for _, r := range rows {
		set, setting := r.Set, settingOf(r)
		if alone {
			set, setting = setting, set
		}
		drawn = append(drawn, Row(r, set, setting))
	}
	return plotting.Intervals("Every setting by "+m.Name, m, drawn)
}

// Row is the row of a figure of intervals that a row of a table makes, under the given names.
func Row(r results.Row, set, setting string) plotting.IntervalRow {
	row := plotting.IntervalRow{Set: set, Setting: setting, Mean: r.Mean, Low: r.Mean, High: r.Mean, N: r.N, Over: "repeats", Points: r.Values}
	if r.Low != nil && r.High != nil {
		row.Low, row.High = *r.Low, *r.High
	}
	return row
}
