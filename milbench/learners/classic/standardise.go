package classic

import (
	"math"
	"slices"

	"synpool/milbench/mil"
)

// Scaling is the way that features are scaled before instances are compared.
type Scaling string

// Scalings, computed over the instances of the training part.
const (
	// Deviation gives every feature mean 0 and standard deviation 1. Features of sparse sets are only scaled, not
	// shifted.
	Deviation Scaling = "deviation"
	// Range maps a feature's smallest value to 0 and its largest to 1. In sparse sets, it maps the largest absolute
	// value to 1.
	Range Scaling = "range"
	// Unscaled leaves features unchanged.
	Unscaled Scaling = "none"
)

// Scalings lists the scalings.
var Scalings = []Scaling{Deviation, Range, Unscaled}

// validate reports an unknown scaling.
func (s Scaling) validate() error { return oneOf("scaling", s, Scalings) }

// of returns the scale computed over the instances of bags.
func (s Scaling) of(bags []mil.Instances) (scale, error) {
	if s == Deviation || len(bags) == 0 {
		return scaleOf(bags)
	}
	d := bags[0].Features()
	z := scale{Shift: make([]float64, d), Factor: make([]float64, d)} // factor 0 for a constant feature
	if s == Unscaled {
		return scale{Shift: z.Shift, Factor: slices.Repeat([]float64{1}, d)}, nil
	}
	sparse := true
	for _, b := range bags {
		sparse = sparse && mil.IsSparse(b)
	}
	least, most := slices.Repeat([]float64{math.Inf(1)}, d), slices.Repeat([]float64{math.Inf(-1)}, d)
	for _, b := range bags {
		if err := mil.EachValue(b, func(_, j int, v float32) {
			least[j], most[j] = min(least[j], float64(v)), max(most[j], float64(v))
		}); err != nil {
			return scale{}, err
		}
	}
	for j := range d {
		width := most[j] - least[j]
		if sparse {
			width = max(math.Abs(most[j]), math.Abs(least[j]))
		} else {
			z.Shift[j] = least[j]
		}
		if most[j] > least[j] {
			z.Factor[j] = 1 / width
		}
	}
	return z, nil
}

// scale maps a value v of feature j to (v - Shift[j]) * Factor[j].
type scale struct {
	Shift  numbers `json:"shift"`
	Factor numbers `json:"factor"`
	Sparse bool    `json:"sparse,omitempty"` // whether a [standardised] compares sparse rows
}

// scaleOf returns the scale that gives every feature mean 0 and standard deviation 1 over the instances of bags
// ([mil.Standardise]). Sparse features are not shifted.
func scaleOf(bags []mil.Instances) (scale, error) {
	parts := make([]mil.Moments, len(bags))
	for i, x := range bags {
		var err error
		if parts[i], err = mil.MomentsOf(x); err != nil {
			return scale{}, err
		}
	}
	shift, factor, err := mil.Standardise(parts)
	if err == nil && shift == nil {
		shift = make([]float64, len(factor))
	}
	return scale{Shift: shift, Factor: factor}, err
}

// apply writes the standardised instance to dst.
func (s scale) apply(row []float32, dst []float64) {
	for j, v := range row {
		dst[j] = (float64(v) - s.Shift[j]) * s.Factor[j]
	}
}
