package plotting

import (
	"errors"
	"fmt"
)

// WeightAxis says what weights are of: the rows or the columns of a table, or the bars of a panel.
type WeightAxis struct {
	Of    string   // in the singular, such as "class capsule" or "instance"
	Names []string // nil for numbers from 1
}

// WeightMap draws weights[row][column] as shaded cells, the first row on top, the largest weight darkest. Weights are
// written into the cells where they fit. [AttentionHeatMap] and [Alignment] are the common forms of it.
func WeightMap(title string, rows, columns WeightAxis, weights [][]float64) (*Figure, error) {
	f, err := weightMap(title, rows, columns, weights)
	if err != nil {
		return nil, fmt.Errorf("drawing a map of weights: %w", err)
	}
	return f, nil
}

func weightMap(title string, rows, columns WeightAxis, weights [][]float64) (*Figure, error) {
	if err := rows.checkWith(columns); err != nil {
		return nil, err
	}
	return matrix{weights: weights, rows: rows.Names, columns: columns.Names, row: rows.Of, column: columns.Of}.figure(title)
}

// checkWith reports what keeps the axis from being that of the rows of a table with these columns.
func (a WeightAxis) checkWith(columns WeightAxis) error {
	if a.Of == "" || columns.Of == "" {
		return errors.New("rows and columns need to be of something")
	}
	return nil
}
