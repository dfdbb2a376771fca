package neural

import (
	"runtime"
	"sync"
	"sync/atomic"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Standardisation maps a feature x to (x − Shift)·Factor. With nil slices, it changes nothing.
type Standardisation struct {
	Shift  []float64 `json:"shift,omitempty"` // nil for sparse sets, so that zeros stay zeros
	Factor []float64 `json:"factor,omitempty"`
}

// FitStandardisation returns the standardisation that gives every feature mean 0 and standard deviation 1 over the
// instances of the training bags ([mil.Standardise]). For a sparse set, it changes only the standard deviation.
func FitStandardisation(bags []mil.Instances, train []cv.Example) (Standardisation, error) {
	return newMoments(bags).standardisation(train)
}

// bagMoments computes the moments of each bag of a task on first use, because fits share bags.
type bagMoments []func() (mil.Moments, error)

func newMoments(bags []mil.Instances) bagMoments {
	m := make(bagMoments, len(bags))
	for i, x := range bags {
		m[i] = sync.OnceValues(func() (mil.Moments, error) { return mil.MomentsOf(x) })
	}
	return m
}

// standardisation returns the standardisation of training bags. It reads bags on all cores.
func (m bagMoments) standardisation(train []cv.Example) (s Standardisation, err error) {
	var next atomic.Int64
	var reading sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(train)) {
		reading.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(train); i = next.Add(1) - 1 {
				_, _ = m[train[i].Bag]() // an error comes again below
			}
		})
	}
	reading.Wait()
	parts := make([]mil.Moments, len(train))
	for i, e := range train {
		if parts[i], err = m[e.Bag](); err != nil {
			return s, err
		}
	}
	s.Shift, s.Factor, err = mil.Standardise(parts)
	return s, err
}

// Vector returns the standardised instance, in single precision like the input of a network.
func (s Standardisation) Vector(row []float32) []float64 {
	vector := make([]float64, len(row))
	for j, v := range row {
		vector[j] = float64(s.apply(j, v))
	}
	return vector
}

// fill writes the standardised instances of bag to dst, row by row. Sparse and dense bags with equal values give equal
// rows.
func (s Standardisation) fill(dst []float32, bag mil.Instances) error {
	width := bag.Features()
	dst = dst[:bag.Len()*width]
	if err := bag.Read(0, bag.Len(), dst); err != nil {
		return err
	}
	if s.Shift == nil && s.Factor == nil {
		return nil
	}
	for at := 0; at < len(dst); at += width {
		for j := range width {
			dst[at+j] = s.apply(j, dst[at+j])
		}
	}
	return nil
}

// apply returns the standardised value v of feature j.
func (s Standardisation) apply(j int, v float32) float32 {
	wide := float64(v)
	if s.Shift != nil {
		wide -= s.Shift[j]
	}
	if s.Factor != nil {
		wide *= s.Factor[j]
	}
	return float32(wide)
}

// numbers returns the shift and the factor of feature j.
func (s Standardisation) numbers(j int) (shift, factor float64) {
	factor = 1
	if s.Shift != nil {
		shift = s.Shift[j]
	}
	if s.Factor != nil {
		factor = s.Factor[j]
	}
	return shift, factor
}
