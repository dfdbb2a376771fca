package classic

import "synpool/milbench"

// scale maps the value v of feature j to (v - shift[j]) * factor[j].
type scale struct{ shift, factor []float64 }

// scaleOf returns the scale that gives every feature mean 0 and standard deviation 1 over the instances of bags. Sparse ones are
// not shifted; a constant feature keeps its unit.
func scaleOf(bags []milbench.Instances) (scale, error) {
	parts := make([]milbench.Moments, len(bags))
	for i, x := range bags {
		var err error
		if parts[i], err = milbench.MomentsOf(x); err != nil {
			return scale{}, err
		}
	}
	shift, factor, err := milbench.Standardise(parts)
	if err == nil && shift == nil {
		shift = make([]float64, len(factor))
	}
	return scale{shift, factor}, err
}

// apply writes an instance standardised.
func (s scale) apply(row []float32, dst []float64) {
	for j, v := range row {
		dst[j] = (float64(v) - s.shift[j]) * s.factor[j]
	}
}
