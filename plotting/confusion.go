package plotting

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/plot/vg"
)

// Confusion draws a confusion matrix of bags, counts[true][predicted], with the first class on top. Each cell shows its
// count and is shaded by its share of the row, from 0 to 1, so small classes are as readable as large ones. Counts may be
// fractions, if they are means over repeats.
func Confusion(title string, classes []string, counts [][]float64) (f *Figure, err error) {
	defer about(&err, "drawing a confusion matrix")
	if len(classes) < 2 || len(counts) != len(classes) {
		return nil, fmt.Errorf("%d classes and %d rows of counts; give two classes or more and a row of each", len(classes), len(counts))
	}
	digits := 0
	for i, row := range counts {
		if len(row) != len(classes) {
			return nil, fmt.Errorf("row %d has %d counts of %d classes", i+1, len(row), len(classes))
		}
		if err := each("column", row, notNegative); err != nil {
			return nil, fmt.Errorf("row %d, %w", i+1, err)
		}
		if slices.ContainsFunc(row, func(n float64) bool { return n != math.Trunc(n) }) {
			digits = 1
		}
	}
	m := matrix{
		columns: classes, row: "true class", column: "called class",
		shades: unit, bar: "Share of row",
		square: true, least: confusionCell, most: confusionMost, longest: 2 * cellName, wide: squareWidth,
	}
	for i, row := range counts {
		total := floats.Sum(row)
		shares, texts := make([]float64, len(row)), make([]string, len(row))
		for j, n := range row {
			shares[j], texts[j] = n/total, strconv.FormatFloat(n, 'f', digits, 64) // NaN of a class without bags: an empty cell
		}
		m.values, m.texts = append(m.values, shares), append(m.texts, texts)
		m.rows = append(m.rows, fmt.Sprintf("%s (n = %s)", fit(plain(9), classes[i], cellName), strconv.FormatFloat(math.Round(10*total)/10, 'f', -1, 64)))
	}
	return m.figure(title)
}

// Measures of a cell that fits a count.
const (
	confusionCell = 26 * vg.Length(1) // minimum
	confusionMost = 44 * vg.Length(1)
)
