package mil

import (
	"errors"
	"math"
	"slices"
)

// constantFeature is the standard deviation up to which a feature counts as constant, relative to its mean. It covers
// what sums of equal values lose in double. One value of a billion that is the next float32 gives a larger one.
const constantFeature = 1e-12

// Moments are sums over the instances of a bag that are needed to scale features. [Standardise] combines the moments
// of several bags without reading the bags again. For a sparse bag they cover only the columns in use.
type Moments struct {
	Count    int       // number of instances
	Features int       // features per instance
	Sparse   bool      // true for a sparse bag
	Columns  []int32   // for a sparse bag, the columns with values, ascending; all others have moments 0
	Mean     []float64 // mean of each feature, or of each entry in Columns
	Square   []float64 // likewise, sum of squared differences from the mean
}

// MomentsBytes returns the approximate memory for the moments of bags.
func MomentsBytes(bags []Instances) (bytes uint64) {
	for _, b := range bags {
		if s, ok := b.(*Sparse); ok {
			bytes += 20 * uint64(min(len(s.Values), s.Cols))
		} else {
			bytes += 16 * uint64(b.Features())
		}
	}
	return bytes
}

// MomentsOf returns the moments of a bag. It reads the bag twice.
func MomentsOf(x Instances) (Moments, error) {
	if s, ok := x.(*Sparse); ok {
		return sparseMoments(s), nil
	}
	m := Moments{Count: x.Len(), Features: x.Features(), Mean: make([]float64, x.Features()), Square: make([]float64, x.Features())}
	if m.Count == 0 {
		return m, nil
	}
	n := float64(m.Count)
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

func sparseMoments(s *Sparse) Moments {
	m := Moments{Count: s.Rows, Features: s.Cols, Sparse: true}
	m.Columns = slices.Clone(s.Column)
	slices.Sort(m.Columns)
	m.Columns = slices.Clip(slices.Compact(m.Columns))
	m.Mean, m.Square = make([]float64, len(m.Columns)), make([]float64, len(m.Columns))
	place := make(map[int]int, len(m.Columns))
	for k, j := range m.Columns {
		place[int(j)] = k
	}
	n, present := float64(m.Count), make([]int, len(m.Columns))
	_ = EachValue(s, func(_, j int, v float32) { // in memory there is no error
		m.Mean[place[j]] += float64(v) / n
		present[place[j]]++
	})
	_ = EachValue(s, func(_, j int, v float32) {
		d := float64(v) - m.Mean[place[j]]
		m.Square[place[j]] += d * d
	})
	for k, mean := range m.Mean {
		m.Square[k] += float64(m.Count-present[k]) * mean * mean
	}
	return m
}

// each calls f with the moments of every feature, in order.
func (m Moments) each(f func(j int, mean, square float64)) {
	if !m.Sparse {
		for j, mean := range m.Mean {
			f(j, mean, m.Square[j])
		}
		return
	}
	k := 0
	for j := range m.Features {
		if k < len(m.Columns) && int(m.Columns[k]) == j {
			f(j, m.Mean[k], m.Square[k])
			k++
		} else {
			f(j, 0, 0)
		}
	}
}

// Standardise returns a shift and a factor for each feature such that (x − shift)·factor has mean 0 and standard
// deviation 1 over the instances of bags. The moments of these bags are in parts. If a bag is sparse, shift is nil,
// so zeros stay zeros and only the standard deviation becomes 1. Bags without instances are an error.
//
// A constant feature has the factor 0: nothing can be learnt about it, so it counts as 0 in other bags, too. Only a
// feature whose values are all equal is constant, whatever its unit and its mean.
//
// Moments are combined as in Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983).
func Standardise(parts []Moments) (shift, factor []float64, err error) {
	count, features, sparse := 0, 0, false
	for _, p := range parts {
		count += p.Count
		features = max(features, p.Features)
		sparse = sparse || p.Sparse
	}
	if count == 0 {
		return nil, nil, errors.New("no instances to standardise by; give a bag with one")
	}
	mean := make([]float64, features)
	square := make([]float64, features)
	for _, p := range parts {
		p.each(func(j int, m, _ float64) { mean[j] += m * (float64(p.Count) / float64(count)) })
	}
	for _, p := range parts {
		p.each(func(j int, m, own float64) {
			d := m - mean[j]
			square[j] += own + float64(p.Count)*d*d
		})
	}
	factor = make([]float64, features)
	for j := range factor {
		if sd := math.Sqrt(square[j] / float64(count)); sd > constantFeature*math.Abs(mean[j]) {
			factor[j] = 1 / sd
		}
	}
	if sparse {
		return nil, factor, nil
	}
	return mean, factor, nil
}
