package plotting

import (
	"errors"
	"fmt"
)

// ShareMap draws shares[row][column], such as an alignment or one head of self-attention, as shaded cells, the first row on
// top, darker for larger shares. The scale goes from 0 to 1 in every figure. Shares are printed in the cells if they fit.
func ShareMap(title string, rows, columns WeightAxis, shares [][]float64) (f *Figure, err error) {
	defer about(&err, "drawing a map of shares")
	if rows.Of == "" || columns.Of == "" {
		return nil, errors.New("rows and columns need to be of something")
	}
	for i, row := range shares {
		if err := each(columns.Of, row, isShare); err != nil {
			return nil, fmt.Errorf("%s %d, %w", rows.Of, i+1, err)
		}
	}
	return matrix{values: shares, rows: rows.Names, columns: columns.Names, row: rows.Of, column: columns.Of, shades: unit, bar: "Share"}.figure(title)
}
