package neural

import (
	"math"

	"synpool/milbench"
)

// constantFeature is the standard deviation, relative to the mean's size where that is above 1, up to which a feature
// counts as constant: rounding leaves constant columns of real sets with about 1e-17 instead of 0.
const constantFeature = 1e-8

// Standardisation maps a feature x to (x − Shift)·Factor. Nil slices leave it as it is.
type Standardisation struct {
	Shift  []float64 `json:"shift,omitempty"` // nil for sparse sets: zeros stay zeros
	Factor []float64 `json:"factor,omitempty"`
}

// FitStandardisation returns the standardisation that gives every feature mean 0 and standard deviation 1 over the
// instances of the training bags; of a sparse set the standard deviation alone. A constant feature keeps its scale.
func FitStandardisation(bags []milbench.Matrix, train []milbench.Example) Standardisation {
	features := bags[train[0].Bag].Cols
	count, sparse := 0, false
	mean := make([]float64, features)
	square := make([]float64, features)
	present := make([]int, features)
	each := func(f func(column int, value float64)) {
		for _, e := range train {
			for i := range bags[e.Bag].Rows {
				bags[e.Bag].Each(i, f)
			}
		}
	}
	for _, e := range train {
		count += bags[e.Bag].Rows
		sparse = sparse || bags[e.Bag].Sparse()
	}
	each(func(j int, v float64) {
		mean[j] += v / float64(count)
		present[j]++
	})
	each(func(j int, v float64) { square[j] += (v - mean[j]) * (v - mean[j]) })
	factor := make([]float64, features)
	for j := range factor {
		absent := float64(count - present[j])
		sd := math.Sqrt((square[j] + absent*mean[j]*mean[j]) / float64(count))
		if sd <= constantFeature*max(1, math.Abs(mean[j])) {
			sd = 1
		}
		factor[j] = 1 / sd
	}
	if sparse {
		return Standardisation{Factor: factor}
	}
	return Standardisation{Shift: mean, Factor: factor}
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
