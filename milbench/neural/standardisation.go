package neural

import "synpool/milbench"

// Standardisation maps a feature x to (x − Shift)·Factor. Nil slices leave it as it is.
type Standardisation struct {
	Shift  []float64 `json:"shift,omitempty"` // nil for sparse sets: zeros stay zeros
	Factor []float64 `json:"factor,omitempty"`
}

// FitStandardisation returns the standardisation that gives every feature mean 0 and standard deviation 1 over the
// instances of the training bags ([milbench.Standardise]); of a sparse set the standard deviation alone.
func FitStandardisation(bags []milbench.Matrix, train []milbench.Example) (Standardisation, error) {
	chosen := make([]milbench.Matrix, len(train))
	for i, e := range train {
		chosen[i] = bags[e.Bag]
	}
	shift, factor, err := milbench.Standardise(chosen)
	return Standardisation{Shift: shift, Factor: factor}, err
}

// Vectors returns the standardised instances of a bag, in single precision as a network takes them.
func (s Standardisation) Vectors(bag milbench.Matrix) [][]float64 {
	flat := make([]float32, bag.Rows*bag.Cols)
	s.fill(flat, bag)
	vectors := make([][]float64, bag.Rows)
	for i := range vectors {
		vectors[i] = make([]float64, bag.Cols)
		for j := range vectors[i] {
			vectors[i][j] = float64(flat[i*bag.Cols+j])
		}
	}
	return vectors
}

// fill writes the standardised instances of bag row by row into dst, which must be zeros. Sparse or dense, a bag of
// equal values gives equal rows.
func (s Standardisation) fill(dst []float32, bag milbench.Matrix) {
	for i := range bag.Rows {
		row := dst[i*bag.Cols : (i+1)*bag.Cols]
		if s.Shift != nil && bag.Sparse() {
			for j := range row {
				row[j] = s.apply(j, 0)
			}
		}
		bag.Each(i, func(j int, v float64) { row[j] = s.apply(j, v) })
	}
}

// apply returns the standardised value v of feature j.
func (s Standardisation) apply(j int, v float64) float32 {
	if s.Shift != nil {
		v -= s.Shift[j]
	}
	if s.Factor != nil {
		v *= s.Factor[j]
	}
	return float32(v)
}
