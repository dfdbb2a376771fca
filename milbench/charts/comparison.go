package charts

import (
	"fmt"

	"synpool/milbench/results"
	"synpool/plotting"
)

// Comparison draws the differences between settings with their intervals. The sets must have the same main figure.
func Comparison(c results.Comparison) (*plotting.Figure, error) {
	sets := make(map[string]bool)
	for _, d := range c.Sets {
		sets[d.Set] = true
		if d.Figure != c.Sets[0].Figure {
			return nil, fmt.Errorf("the sets have different figures, %s and %s; compare folders of one kind of target", c.Sets[0].Figure, d.Figure)
		}
	}
	var rows []plotting.ComparedRow
	for _, d := range c.Sets {
		name := d.B
		if len(sets) > 1 {
			name = d.Set + ": " + name
		}
		verdict := map[results.Verdict]int{results.BetterVerdict: 1, results.WorseVerdict: -1}[d.Verdict]
		rows = append(rows, plotting.ComparedRow{Name: name, Difference: d.Difference, Low: d.Low, High: d.High, Verdict: verdict, Same: d.Verdict == results.SameVerdict})
	}
	label := fmt.Sprintf("%s of %s less that of the other (mean and 95 %% interval)", c.Sets[0].Figure, c.Reference)
	return plotting.Comparison(c.Reference+" against others", label, c.Rope, rows)
}
