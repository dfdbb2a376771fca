package plotting

import "fmt"

// AttentionHeatMap draws the attention weights of a bag, weights[head][instance], as shaded cells: one row per head, one
// column per instance, darker for larger weights. If the names of heads or instances are nil, they are numbered from 1.
// Weights are printed in the cells if they fit.
func AttentionHeatMap(title string, heads, instances []string, weights [][]float64) (*Figure, error) {
	m := matrix{weights: weights, rows: heads, columns: instances, row: "head", column: "instance"}
	f, err := m.figure(title)
	if err != nil {
		return nil, fmt.Errorf("drawing a heat map of attention: %w", err)
	}
	return f, nil
}
