package classic

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"synpool/internal/mixture"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Limits of instances and of their values for building a codebook or a mixture.
const (
	mostSampled = 20_000
	mostValues  = 40_000_000
)

// sharedSample returns the scale of the shared bags and a sample of their instances.
func sharedSample(s *learner.Shared) (scale, *sample, error) {
	z, err := learner.Once(s, "scale", func() (scale, error) { return scaleOf(s.Bags) })
	if err != nil {
		return z, nil, err
	}
	x, err := newSample(s.Bags, z, mostSampled)
	return z, x, err
}

// sampled returns the size of the sample from instances with d features.
func sampled(instances, d int) int {
	return min(instances, mostSampled, max(mostValues/max(d, 1), 1))
}

// sample holds standardised instances of bags, row-major, [n, d].
type sample struct {
	n, d   int
	values []float32
	order  []int // order of the rows
}

// newSample takes all instances of bags, or evenly spaced ones if there are more than most instances or mostValues
// values. It sorts them by value. So the order of bags and instances has no effect as long as all are taken.
func newSample(bags []mil.Instances, s scale, most int) (*sample, error) {
	d := len(s.Factor)
	n := sampled(min(instances(bags), most), d)
	x := &sample{n: n, d: d, values: make([]float32, n*d), order: all(n)}
	for at, of := range spaced(bags, n) {
		if err := of.read(x.row(at)); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(x.order, func(i, k int) int { return slices.Compare(x.row(i), x.row(k)) })
	for i := range n {
		if err := s.narrow(x.row(i), x.row(i)); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *sample) row(i int) []float32 { return x.values[i*x.d : (i+1)*x.d] }

// rows yields the instances in order.
func (x *sample) rows() iter.Seq[[]float32] { return mixture.Matrix(x.values, x.d, x.order) }

// narrow writes a standardised instance to dst, which may be the instance itself.
func (s scale) narrow(row, dst []float32) error {
	for j, v := range row {
		z := float32((float64(v) - s.Shift[j]) * s.Factor[j])
		if z-z != 0 { // NaN or infinite
			return fmt.Errorf("feature %d of an instance is %v, %v once standardised; values must be finite", j, v, z)
		}
		dst[j] = z
	}
	return nil
}

// rows yields the standardised instances of a bag; each is valid until the next. It stops at the first error and stores
// it in failed.
func (s scale) rows(bag mil.Instances, failed *error) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		switch {
		case bag.Features() != len(s.Factor):
			*failed = fmt.Errorf("a bag of %d features for a model of %d", bag.Features(), len(s.Factor))
			return
		case bag.Len() == 0:
			*failed = errors.New("an empty bag has no score")
			return
		}
		z, done := make([]float32, len(s.Factor)), false
		err := mil.EachRow(bag, func(_ int, row []float32) {
			if done {
				return
			}
			if err := s.narrow(row, z); err != nil {
				*failed, done = err, true
				return
			}
			done = !yield(z)
		})
		if *failed == nil {
			*failed = err
		}
	}
}
