package plotting

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// aucCell is the width of a cell that fits an AUC.
const aucCell = 22 * vg.Length(1)

// AUCTable draws auc[set][learner] as a table of shaded cells with their values, the first set on top. Shades go from pale
// at 0.5, or at the lowest value if that is lower, to dark at 1. The best cell of each row is framed and bold; ties share
// the mark. NaN means no value and leaves the cell empty.
func AUCTable(title string, sets, learners []string, auc [][]float64) (f *Figure, err error) {
	defer about(&err, "drawing a table of AUCs")
	shades := shading{0.5, 1}
	marked := make([][]bool, len(auc))
	for i, row := range auc {
		best := 0.0
		for j, v := range row {
			if v < 0 || v > 1 {
				return nil, fmt.Errorf("set %d, learner %d: an AUC of %v is not between 0 and 1", i+1, j+1, v)
			}
			if !math.IsNaN(v) {
				shades.low, best = min(shades.low, v), max(best, v)
			}
		}
		for _, v := range row {
			marked[i] = append(marked[i], v == best)
		}
	}
	m := matrix{
		values: auc, rows: append([]string{}, sets...), columns: append([]string{}, learners...), row: "set", column: "learner",
		shades: shades, bar: "AUC", least: aucCell, marked: marked,
	}
	if slices.ContainsFunc(marked, func(row []bool) bool { return slices.Contains(row, true) }) {
		m.entries = []entry{{label: "the best learner on a set", line: mark()}}
	}
	return m.figure(title)
}
