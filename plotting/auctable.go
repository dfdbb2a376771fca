package plotting

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// aucCell is the width of a cell in which an AUC can be read.
const aucCell = 22 * vg.Length(1)

// AUCTable draws auc[set][learner] as shaded cells with the values in them, the first set on top, from pale at 0.5, or the
// lowest if that is lower, to dark at 1. In each row the best cell is framed and bold; learners that are equally good share
// the mark. NaN says that there is no value and leaves the cell empty.
func AUCTable(title string, sets, learners []string, auc [][]float64) (*Figure, error) {
	f, err := aucTable(title, sets, learners, auc)
	if err != nil {
		return nil, fmt.Errorf("drawing a table of AUCs: %w", err)
	}
	return f, nil
}

func aucTable(title string, sets, learners []string, auc [][]float64) (*Figure, error) {
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
		weights: auc, rows: orNone(sets), columns: orNone(learners), row: "set", column: "learner",
		shades: &shades, bar: "AUC", least: aucCell, gaps: true, marked: marked,
	}
	if slices.ContainsFunc(marked, func(row []bool) bool { return slices.Contains(row, true) }) {
		m.entries = []entry{{label: "the best learner on a set", line: mark()}}
	}
	return m.figure(title)
}

// orNone returns names that are not nil, for which a matrix writes numbers.
func orNone(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}
