package baseline

import (
	"fmt"
	"math"

	"synpool/milbench"
)

// constantFeature is the standard deviation, relative to the size of the mean where that is above 1, up to which a
// feature counts as constant: rounding leaves constant columns with about 1e-17 instead of 0.
const constantFeature = 1e-8

// scale maps the value v of feature j to (v - shift[j]) * factor[j].
type scale struct{ shift, factor []float64 }

// standardised returns all rows of the bags in one matrix, sparse if one of them is, with mean 0 and standard deviation
// 1 in every column, and the scale that makes them so. Sparse columns are not shifted; a constant column keeps its unit.
func standardised(bags []milbench.Matrix) (milbench.Matrix, scale, error) {
	all := milbench.Matrix{Cols: bags[0].Cols}
	size := 0
	for _, m := range bags {
		if m.Sparse() {
			all.RowStart = []int{0}
		}
		size += len(m.Values)
	}
	if !all.Sparse() {
		all.Values = make([]float64, 0, size)
	}
	for _, m := range bags {
		for i := range m.Rows {
			var err error
			m.Each(i, func(j int, v float64) {
				switch {
				case math.IsNaN(v) || math.IsInf(v, 0):
					err = fmt.Errorf("a value of feature %d is %v; replace it by a finite number", j+1, v)
				case !all.Sparse():
					all.Values = append(all.Values, v)
				case v != 0:
					all.Values, all.Column = append(all.Values, v), append(all.Column, int32(j))
				}
			})
			if err != nil {
				return all, scale{}, err
			}
			all.Rows++
			if all.Sparse() {
				all.RowStart = append(all.RowStart, len(all.Values))
			}
		}
	}

	s := scale{make([]float64, all.Cols), make([]float64, all.Cols)}
	mean, square := s.shift, s.factor
	present := make([]int, all.Cols)
	for i := range all.Rows {
		all.Each(i, func(j int, v float64) {
			mean[j] += v / float64(all.Rows)
			present[j]++
		})
	}
	for i := range all.Rows {
		all.Each(i, func(j int, v float64) { square[j] += (v - mean[j]) * (v - mean[j]) })
	}
	for j := range square {
		absent := float64(all.Rows - present[j])
		sd := math.Sqrt((square[j] + absent*mean[j]*mean[j]) / float64(all.Rows))
		if math.IsInf(sd, 0) || math.IsNaN(sd) {
			return all, scale{}, fmt.Errorf("feature %d has values too large to be squared; give it another unit", j+1)
		}
		if sd <= constantFeature*max(1, math.Abs(mean[j])) {
			sd = 1
		}
		s.factor[j] = 1 / sd
	}
	if all.Sparse() {
		clear(s.shift)
		for k, j := range all.Column {
			all.Values[k] *= s.factor[j]
		}
		return all, s, nil
	}
	for i := range all.Rows {
		row := all.Values[i*all.Cols : (i+1)*all.Cols]
		for j := range row {
			row[j] = (row[j] - s.shift[j]) * s.factor[j]
		}
	}
	return all, s, nil
}
