package milbench

import (
	"errors"
	"math"
)

// constantFeature is the standard deviation, relative to the mean's size where that is above 1, up to which a feature
// counts as constant: two roundings to float32, 1.2e-7 apart, of what was one number.
const constantFeature = 2e-7

// Moments are the sums of a bag that features are scaled by. Those of several bags are put together without another look at
// the bags ([Standardise]).
type Moments struct {
	Count  int       // instances
	Sparse bool      // the bag is sparse
	Mean   []float64 // of each feature
	Square []float64 // of each feature, the sum of the squares of differences from the mean
}

// MomentsOf returns the moments of a bag, which it reads twice.
func MomentsOf(x Instances) (Moments, error) {
	m := Moments{Count: x.Len(), Sparse: IsSparse(x), Mean: make([]float64, x.Features()), Square: make([]float64, x.Features())}
	if m.Count == 0 {
		return m, nil
	}
	n := float64(m.Count)
	if m.Sparse {
		present := make([]int, len(m.Mean))
		_ = EachValue(x, func(_, j int, v float32) { // there is no error in memory
			m.Mean[j] += float64(v) / n
			present[j]++
		})
		_ = EachValue(x, func(_, j int, v float32) {
			d := float64(v) - m.Mean[j]
			m.Square[j] += d * d
		})
		for j, mean := range m.Mean {
			m.Square[j] += float64(m.Count-present[j]) * mean * mean
		}
		return m, nil
	}
	if err := EachRow(x, func(_ int, row []float32) {
		for j, v := range row {
			m.Mean[j] += float64(v)
		}
	}); err != nil {
		return m, err
	}
	for j := range m.Mean {
		m.Mean[j] /= n
	}
	err := EachRow(x, func(_ int, row []float32) {
		for j, v := range row {
			d := float64(v) - m.Mean[j]
			m.Square[j] += d * d
		}
	})
	return m, err
}

// Standardise returns the shift and the factor of each feature with which (x − shift)·factor has mean 0 and standard
// deviation 1 over the instances of bags, of which parts has the moments; where a bag is sparse, shift is nil, so that zeros
// stay zeros, and the standard deviation alone becomes 1. A constant feature keeps its scale. No instances are an
// error.
//
// Moments are put together as by Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983).
func Standardise(parts []Moments) (shift, factor []float64, err error) {
	count, features, sparse := 0, 0, false
	for _, p := range parts {
		count += p.Count
		features = max(features, len(p.Mean))
		sparse = sparse || p.Sparse
	}
	if count == 0 {
		return nil, nil, errors.New("no instances to standardise by; give a bag with one")
	}
	mean := make([]float64, features)
	square := make([]float64, features)
	for _, p := range parts {
		for j, m := range p.Mean {
			mean[j] += m * (float64(p.Count) / float64(count))
		}
	}
	for _, p := range parts {
		for j, m := range p.Mean {
			d := m - mean[j]
			square[j] += p.Square[j] + float64(p.Count)*d*d
		}
	}
	factor = make([]float64, features)
	for j := range factor {
		sd := math.Sqrt(square[j] / float64(count))
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
