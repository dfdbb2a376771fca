package plotting

import (
	"errors"
	"fmt"
)

// WeightAxis describes one axis of weights: the rows or columns of a table, or the bars of a panel.
type WeightAxis struct {
	Of    string   // what one entry is, in the singular, such as "class capsule" or "instance"
	Names []string // nil for numbers from 1
}

// WeightMap draws weights[row][column] as shaded cells, the first row on top, darker for larger weights. Weights are printed
// in the cells if they fit.
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

// checkWith reports why the axis cannot be the rows of a table with these columns.
func (a WeightAxis) checkWith(columns WeightAxis) error {
	if a.Of == "" || columns.Of == "" {
		return errors.New("rows and columns need to be of something")
	}
	return nil
}
