package plotting

import "fmt"

// AttentionHeatMap draws the attention weights of a bag, weights[head][instance], as shaded cells: a row a head, a
// column an instance, the largest weight darkest. Names of heads and instances may be nil, which numbers them from 1.
// Weights are written into the cells where they fit.
func AttentionHeatMap(title string, heads, instances []string, weights [][]float64) (*Figure, error) {
	m := matrix{weights: weights, rows: heads, columns: instances, row: "head", column: "instance"}
	f, err := m.figure(title)
	if err != nil {
		return nil, fmt.Errorf("drawing a heat map of attention: %w", err)
	}
	return f, nil
}
