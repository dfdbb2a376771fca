package mil

import (
	"fmt"
	"slices"
)

// Missing is a feature that has no value in some instances. A second feature, the indicator, is 1 in these instances
// and 0 in the others.
type Missing struct {
	Feature   int     `json:"feature"` // both count from 0
	Indicator int     `json:"indicator"`
	Value     float32 `json:"value"` // replaces missing values of the feature; 0 when returned by a reader
}

// Medians returns missing with each Value set to the median of the feature over the instances that have one. For an
// even number of values it is the mean of the middle two; with no values it is 0. Medians holds the values of these
// features in memory.
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

// Preparation is the part of the feature preparation that depends on the training part.
type Preparation struct {
	Missing []Missing // values that replace missing ones
	Absent  []int     // features set to 0 in every bag: words that the training part lacks
}

// Prepare computes the preparation from the bags of a training part: medians for missing values, and the word
// features ([Set.Words]) that are 0 in all training instances.
func Prepare(bags []Instances, missing []Missing, words []int) (p Preparation, err error) {
	if p.Missing, err = Medians(bags, missing); err != nil || len(words) == 0 {
		return p, err
	}
	there := make(map[int]bool, len(words))
	for _, x := range bags {
		if err := EachRow(x, func(_ int, row []float32) {
			for _, j := range words {
				if row[j] != 0 {
					there[j] = true
				}
			}
		}); err != nil {
			return p, err
		}
	}
	for _, j := range words {
		if !there[j] {
			p.Absent = append(p.Absent, j)
		}
	}
	return p, nil
}

// row prepares an instance and reports whether this changed it.
func (p Preparation) row(row []float32) (changes bool) {
	set := func(j int, v float32) {
		changes = changes || row[j] != v
		row[j] = v
	}
	for _, m := range p.Missing {
		if row[m.Indicator] != 0 {
			set(m.Feature, m.Value)
		}
	}
	for _, j := range p.Absent {
		set(j, 0)
	}
	return changes
}

// Of returns the prepared bag. It returns the bag itself if nothing changes.
func (p Preparation) Of(x Instances) (Instances, error) {
	changes, own := false, make([]float32, x.Features())
	if err := EachRow(x, func(_ int, row []float32) {
		if !changes {
			copy(own, row)
			changes = p.row(own)
		}
	}); err != nil || !changes {
		return x, err
	}
	view := &prepared{x, p}
	if IsSparse(x) {
		return ToSparse(view)
	}
	return view, nil
}

// prepared wraps instances and prepares them while reading.
type prepared struct {
	of Instances
	by Preparation
}

// Len implements [Instances].
func (p *prepared) Len() int { return p.of.Len() }

// Features implements [Instances].
func (p *prepared) Features() int { return p.of.Features() }

// Read implements [Instances].
func (p *prepared) Read(i, j int, dst []float32) error {
	width := p.of.Features()
	dst = dst[:(j-i)*width]
	if err := p.of.Read(i, j, dst); err != nil {
		return err
	}
	for row := range slices.Chunk(dst, width) {
		p.by.row(row)
	}
	return nil
}

// Impute returns the set with missing values replaced by those in missing, usually the medians of a training part
// ([Medians]). The set keeps its checksum, which describes the bags as read.
func (s *Set) Impute(missing []Missing) (*Set, error) {
	if err := CheckPrepared(missing, nil, s.NumFeatures()); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	filled := *s
	filled.Missing, filled.Bags = missing, slices.Clone(s.Bags)
	for i := range filled.Bags {
		b := &filled.Bags[i]
		var err error
		if b.Instances, err = (Preparation{Missing: missing}).Of(b.Instances); err != nil {
			return nil, fmt.Errorf("%s: bag %s: %w", s.Name, b.ID, err)
		}
	}
	return &filled, nil
}

// CheckPrepared returns an error for a feature or indicator that is out of range or listed twice, a value that is not
// finite, or a word feature ([Set.Words]) that is out of range.
func CheckPrepared(missing []Missing, words []int, features int) error {
	for _, j := range words {
		if j < 0 || j >= features {
			return fmt.Errorf("feature %d of %d cannot be a word; count from 0", j, features)
		}
	}
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
