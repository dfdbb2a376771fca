package plotting

import (
	"fmt"
	"math"
	"strconv"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
)

// Confusion draws a confusion matrix of bags, counts[true][predicted], with the first class on top. Each cell shows its
// count and is shaded by its share of the row, from 0 to 1, so small classes are as readable as large ones. Counts may be
// fractions, if they are means over repeats.
func Confusion(title string, classes []string, counts [][]float64) (*Figure, error) {
	f, err := confusion(title, classes, counts)
	if err != nil {
		return nil, fmt.Errorf("drawing a confusion matrix: %w", err)
	}
	return f, nil
}

func confusion(title string, classes []string, counts [][]float64) (*Figure, error) {
	if len(classes) < 2 || len(counts) != len(classes) {
		return nil, fmt.Errorf("%d classes and %d rows of counts; give two classes or more and a row of each", len(classes), len(counts))
	}
	digits := 0
	for i, row := range counts {
		if len(row) != len(classes) {
			return nil, fmt.Errorf("row %d has %d counts of %d classes", i+1, len(row), len(classes))
		}
		for j, n := range row {
			if err := notNegative(n); err != nil {
				return nil, fmt.Errorf("row %d, column %d: %w", i+1, j+1, err)
			}
			if n != math.Trunc(n) {
				digits = 1
			}
		}
	}
	m := matrix{
		columns: classes, row: "true class", column: "called class",
		shades: &shading{0, 1}, bar: "Share of row", gaps: true,
		square: true, least: confusionCell, most: confusionMost, longest: 2 * cellName, wide: squareWidth,
	}
	names := style(9, stdfont.WeightNormal)
	for i, row := range counts {
		total := 0.0
		for _, n := range row {
			total += n
		}
		shares, texts := make([]float64, len(row)), make([]string, len(row))
		for j, n := range row {
			shares[j], texts[j] = n/total, strconv.FormatFloat(n, 'f', digits, 64) // NaN of a class without bags: an empty cell
		}
		m.weights, m.texts = append(m.weights, shares), append(m.texts, texts)
		m.rows = append(m.rows, fmt.Sprintf("%s (n = %s)", fit(names, classes[i], cellName), strconv.FormatFloat(math.Round(10*total)/10, 'f', -1, 64)))
	}
	return m.figure(title)
}

// Measures of a cell that fits a count.
const (
	confusionCell = 26 * vg.Length(1) // minimum
	confusionMost = 44 * vg.Length(1)
)
