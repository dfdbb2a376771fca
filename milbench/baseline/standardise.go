package baseline

import "synpool/milbench"

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
			m.Each(i, func(j int, v float64) {
				switch {
				case !all.Sparse():
					all.Values = append(all.Values, v)
				case v != 0:
					all.Values, all.Column = append(all.Values, v), append(all.Column, int32(j))
				}
			})
			all.Rows++
			if all.Sparse() {
				all.RowStart = append(all.RowStart, len(all.Values))
			}
		}
	}

	shift, factor, err := milbench.Standardise([]milbench.Matrix{all})
	if err != nil {
		return all, scale{}, err
	}
	s := scale{shift, factor}
	if all.Sparse() {
		s.shift = make([]float64, all.Cols)
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
