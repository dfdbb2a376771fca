package milbench

import (
	"fmt"
	"slices"
)

// Missing is a feature whose value some instances lack. Another feature, the indicator, is 1 in these instances and 0 in the others.
type Missing struct {
	Feature   int     `json:"feature"` // both count from 0
	Indicator int     `json:"indicator"`
	Value     float32 `json:"value"` // stands where the feature has no value; 0 as a reader returns it
}

// Medians returns missing with each Value the median of the feature over the instances of bags that have one, of an even number the
// mean of the two in the middle; 0 where none has one. It holds the values of these features in memory.
func Medians(bags []Instances, missing []Missing) ([]Missing, error) {
	values := make([][]float32, len(missing))
	for _, x := range bags {
		if err := EachRow(x, func(_ int, row []float32) {
			for k, m := range missing {
				if row[m.Indicator] == 0 {
					values[k] = append(values[k], row[m.Feature])
				}
			}
		}); err != nil {
			return nil, err
		}
	}
	filled := slices.Clone(missing)
	for k, v := range values {
		filled[k].Value = 0
		if n := len(v); n > 0 {
			slices.Sort(v)
			filled[k].Value = float32((float64(v[(n-1)/2]) + float64(v[n/2])) / 2)
		}
	}
	return filled, nil
}

// Impute returns a bag in which each Value stands where its feature is missing: the bag itself where that changes nothing.
func Impute(x Instances, missing []Missing) (Instances, error) {
	changes := false
	if err := EachRow(x, func(_ int, row []float32) {
		for _, m := range missing {
			changes = changes || row[m.Indicator] != 0 && row[m.Feature] != m.Value
		}
	}); err != nil || !changes {
		return x, err
	}
	view := &imputed{x, missing}
	if IsSparse(x) {
		return ToSparse(view)
	}
	return view, nil
}

// imputed is instances with values where features are missing.
type imputed struct {
	of      Instances
	missing []Missing
}

// Len implements [Instances].
func (p *imputed) Len() int { return p.of.Len() }

// Features implements [Instances].
func (p *imputed) Features() int { return p.of.Features() }

// Read implements [Instances].
func (p *imputed) Read(i, j int, dst []float32) error {
	width := p.of.Features()
	dst = dst[:(j-i)*width]
	if err := p.of.Read(i, j, dst); err != nil {
		return err
	}
	for row := range slices.Chunk(dst, width) {
		for _, m := range p.missing {
			if row[m.Indicator] != 0 {
				row[m.Feature] = m.Value
			}
		}
	}
	return nil
}

// Impute returns the set with the values of missing, which are those of a training part ([Medians]), where features have none.
func (s *Set) Impute(missing []Missing) (*Set, error) {
	if err := CheckMissing(missing, s.NumFeatures()); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	filled := *s
	filled.Missing, filled.Bags = missing, slices.Clone(s.Bags)
	for i := range filled.Bags {
		b := &filled.Bags[i]
		var err error
		if b.Instances, err = Impute(b.Instances, missing); err != nil {
			return nil, fmt.Errorf("%s: bag %s: %w", s.Name, b.ID, err)
		}
	}
	return &filled, nil
}

// CheckMissing reports a feature or an indicator that is not among so many features or that stands twice, and a value that is not finite.
func CheckMissing(missing []Missing, features int) error {
	seen := make(map[int]bool, 2*len(missing))
	for _, m := range missing {
		for _, j := range []int{m.Feature, m.Indicator} {
			if j < 0 || j >= features || seen[j] {
				return fmt.Errorf("feature %d of %d cannot be missing or an indicator once more; count from 0 and name each once", j, features)
			}
			seen[j] = true
		}
		if !Finite(m.Value) {
			return fmt.Errorf("value %v for a missing feature; give a finite one", m.Value)
		}
	}
	return nil
}
