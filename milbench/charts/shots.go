package charts

import (
	"errors"
	"fmt"
	"slices"

	"synpool/milbench/results"
	"synpool/plotting"
)

// ShotsName is the name of the figure of [Shots].
const ShotsName = "shots"

// Shots draws the main figure of every setting against the number of training bags of each class ([results.Result.Shots]), with
// intervals as the table has them. sets names sets in the table, none for all. The figure is a share, such as the AUC, so real targets
// have none. Results of all training bags are left out.
func Shots(fits []results.Result, sets ...string) (*plotting.Figure, error) {
	fits = slices.DeleteFunc(slices.Clone(fits), func(r results.Result) bool { return r.Shots == 0 })
	if len(fits) == 0 {
		return nil, errors.New("no results of few training bags; milbench run --shots 1,2,4 makes some")
	}
	t, err := results.Tabulate(fits)
	if err != nil {
		return nil, err
	}
	rows, err := ofSets(t.Rows, sets)
	if err != nil {
		return nil, err
	}
	severalSets := slices.ContainsFunc(rows, func(r results.Row) bool { return r.Set != rows[0].Set })
	within := func(r results.Row) results.Row { r.Shots = 0; return r } // its protocol without shots
	severalProtocols := slices.ContainsFunc(rows, func(r results.Row) bool { return protocolOf(within(r)) != protocolOf(within(rows[0])) })
	var curves []plotting.SweepCurve
	at := make(map[string]int)
	for _, r := range rows { // ordered by shots within a set and protocol
		if r.Figure != rows[0].Figure {
			return nil, fmt.Errorf("sets with different figures, %s and %s; choose some with --set", rows[0].Figure, r.Figure)
		}
		if len(r.Values) == 0 { // no fold has the figure
			continue
		}
		name := r.Setting
		if severalSets {
			name = r.Set + ": " + name
		}
		if severalProtocols {
			name += ", " + protocolOf(within(r))
		}
		i, known := at[name]
		if !known {
			i = len(curves)
			at[name], curves = i, append(curves, plotting.SweepCurve{Name: name})
		}
		c, row := &curves[i], Row(r, r.Set, r.Setting)
		c.X, c.Mean, c.Low, c.High = append(c.X, float64(r.Shots)), append(c.Mean, row.Mean), append(c.Low, row.Low), append(c.High, row.High)
	}
	title := "Few training bags"
	if !severalSets {
		title += ": " + rows[0].Set
	}
	return plotting.Sweep(title, "training bags of each class", rows[0].Figure, curves)
}
