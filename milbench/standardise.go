package milbench

import (
	"errors"
	"fmt"
	"math"
)

// constantFeature is the standard deviation, relative to the mean's size where that is above 1, up to which a feature
// counts as constant: rounding leaves constant columns of real sets with about 1e-17 instead of 0.
const constantFeature = 1e-8

// Standardise returns the shift and the factor of each feature with which (x − shift)·factor has mean 0 and standard
// deviation 1 over the instances of bags, which have one width; where a bag is sparse, shift is nil, so that zeros stay zeros,
// and the standard deviation alone becomes 1. A constant feature keeps its scale. Bags without an instance, and features too
// large to be squared, are an error.
func Standardise(bags []Matrix) (shift, factor []float64, err error) {
	count, features, sparse := 0, 0, false
	for _, m := range bags {
		count += m.Rows
		features = max(features, m.Cols)
		sparse = sparse || m.Sparse()
	}
	if count == 0 {
		return nil, nil, errors.New("no instances to standardise by; give a bag with one")
	}
	mean := make([]float64, features)
	square := make([]float64, features)
	present := make([]int, features)
	each := func(f func(column int, value float64)) {
		for _, m := range bags {
			for i := range m.Rows {
				m.Each(i, f)
			}
		}
	}
	each(func(j int, v float64) {
		mean[j] += v / float64(count)
		present[j]++
	})
	each(func(j int, v float64) { square[j] += (v - mean[j]) * (v - mean[j]) })
	factor = make([]float64, features)
	for j := range factor {
		absent := float64(count - present[j])
		sd := math.Sqrt((square[j] + absent*mean[j]*mean[j]) / float64(count))
		if !finite(sd) {
			return nil, nil, fmt.Errorf("feature %d has values too large to be squared; give it another unit", j+1)
		}
		if sd <= constantFeature*max(1, math.Abs(mean[j])) {
			sd = 1
		}
		factor[j] = 1 / sd
	}
	if sparse {
		return nil, factor, nil
	}
	return mean, factor, nil
}
