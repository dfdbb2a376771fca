package dataset

import (
	"fmt"
	"math"

	"synpool/milbench/mil"
)

// assemble sets the targets of the bags from words, unless words is nil. Then it validates, packs and seals the set.
func (o Options) assemble(s *mil.Set, words []string) (*mil.Set, error) {
	if s.Centre == nil {
		s.Centre = o.rounding.forSet(s.NumFeatures())
	}
	var bad []badBag
	good := *s
	good.Bags, good.InstanceLabels = nil, nil
	var labels []string
	for i, word := range words {
		if lacksLabel(word) {
			bad = append(bad, badBag{"without a label", s.Bags[i].ID, fmt.Errorf("%s: %w", s.Name, noLabel(s.Bags[i].ID, word))})
			continue
		}
		good.Bags, labels = append(good.Bags, s.Bags[i]), append(labels, word)
		if s.InstanceLabels != nil {
			good.InstanceLabels = append(good.InstanceLabels, s.InstanceLabels[i])
		}
	}
	if words == nil && o.Subset {
		return nil, fmt.Errorf("%s: no labels are read; leave --subset out", s.Name)
	}
	if err := o.leave(bad, s.Name, len(s.Bags)-len(bad)); err != nil {
		return nil, err
	}
	if len(bad) > 0 {
		s, words = &good, labels
	}
	validate := s.ValidateBags
	if words != nil {
		if err := o.setTargets(s, words); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		o.noteFar(s)
		if !o.Judged {
			validate = s.Validate
		}
	}
	return sealed(s, validate)
}

// Distances from the median, in robust standard deviations, from which on a target is named. That of survival is for the logarithms of
// times, which have long tails.
const (
	farTarget = 20
	farTime   = 5
)

// noteFar names targets that are far from the others, such as -999 for a missing one.
func (o Options) noteFar(s *mil.Set) {
	limit, scale := float64(farTarget), func(v float64) float64 { return v }
	switch s.Kind {
	case mil.RealTarget:
	case mil.SurvivalTarget:
		limit, scale = farTime, func(v float64) float64 { return math.Log(max(v, math.SmallestNonzeroFloat64)) }
	default:
		return
	}
	var values []float64
	for _, b := range s.Bags {
		values = append(values, scale(b.Value))
	}
	middle, spread := mil.Robust(values)
	var named []string
	for _, b := range s.Bags {
		if far := scale(b.Value) - middle; spread > 0 && (far > limit*spread || s.Kind == mil.RealTarget && -far > limit*spread) {
			named = append(named, fmt.Sprintf("%s %v", b.ID, b.Value))
		}
	}
	if len(named) > 0 {
		o.note("%s: %d of %d targets are far from the others: %s; are they right?", s.Name, len(named), len(s.Bags), few(named))
	}
}

// sealed validates, packs and seals a set.
func sealed(s *mil.Set, validate func() error) (*mil.Set, error) {
	if err := validate(); err != nil {
		return nil, err
	}
	mil.Pack(s.Bags)
	if err := s.Seal(); err != nil {
		return nil, err
	}
	return s, nil
}
