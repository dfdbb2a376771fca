package plotting

import "fmt"

// Alignment draws the attention weights of a translation, weights[target][source], as shaded cells: target words as rows,
// source words as columns, as in figure 3 of Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to
// align and translate", ICLR 2015. Weights are printed in the cells if they fit.
func Alignment(title string, source, target []string, weights [][]float64) (*Figure, error) {
	if source == nil || target == nil {
		return nil, fmt.Errorf("drawing an alignment: %d source words and %d target words; both are needed", len(source), len(target))
	}
	m := matrix{weights: weights, rows: target, columns: source, row: "target word", column: "source word", square: true}
	f, err := m.figure(title)
	if err != nil {
		return nil, fmt.Errorf("drawing an alignment: %w", err)
	}
	return f, nil
}
