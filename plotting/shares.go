package plotting

import "fmt"

// unit is the scale of shares: it always ends at 1, so that figures are comparable.
var unit = shading{0, 1}

// WordShares is [Words] for weights that are shares: of the words in their sentence and of the sentences in their document.
// The scale goes from 0 to 1 in every figure, so figures are comparable, and nearly equal weights look nearly equal.
func WordShares(title string, sentences []Sentence) (*Figure, error) {
	err := checkWords(sentences)
	for i := 0; i < len(sentences) && err == nil; i++ {
		if err = areShares("word", sentences[i].Weights); err == nil {
			err = areShares("weight", []float64{sentences[i].Weight})
		}
		if err != nil {
			err = fmt.Errorf("sentence %d, %w", i+1, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("drawing shares of words: %w", err)
	}
	return drawWords(title, "Share of the word", unit, unit, sentences), nil
}

// ShareBars is [AttentionBars] for weights that are shares: the scale goes from 0 to 1 in every figure.
func ShareBars(title string, instances WeightAxis, poolings []AttentionWeights) (*Figure, error) {
	err := checkBars(instances, poolings)
	for i := 0; i < len(poolings) && err == nil; i++ {
		if err = areShares(instances.Of, poolings[i].Weights); err != nil && poolings[i].Name != "" {
			err = fmt.Errorf("%s: %w", poolings[i].Name, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("drawing shares of a bag: %w", err)
	}
	return attentionBars(title, "Share", unit, instances, poolings), nil
}

// ShareMap is [WeightMap] for weights that are shares, such as an alignment or one head of self-attention: the scale goes
// from 0 to 1 in every figure.
func ShareMap(title string, rows, columns WeightAxis, shares [][]float64) (*Figure, error) {
	f, err := shareMap(title, rows, columns, shares)
	if err != nil {
		return nil, fmt.Errorf("drawing a map of shares: %w", err)
	}
	return f, nil
}

func shareMap(title string, rows, columns WeightAxis, shares [][]float64) (*Figure, error) {
	if err := rows.checkWith(columns); err != nil {
		return nil, err
	}
	for i, row := range shares {
		if err := areShares(columns.Of, row); err != nil {
			return nil, fmt.Errorf("%s %d, %w", rows.Of, i+1, err)
		}
	}
	s := unit
	return matrix{weights: shares, rows: rows.Names, columns: columns.Names, row: rows.Of, column: columns.Of, shades: &s, bar: "Share"}.figure(title)
}

// areShares reports a number that is not a share. Sums of float32 may be slightly above 1.
func areShares(of string, values []float64) error {
	for i, v := range values {
		if !(v >= 0 && v <= 1+1e-6) {
			return fmt.Errorf("%s %d: %v is no share, which is from 0 to 1; divide by the sum", of, i+1, v)
		}
	}
	return nil
}
