package dataset

import (
	"fmt"

	"synpool/milbench"
)

// assemble sets the targets of the bags from words, unless words is nil. Then it validates, packs and seals the set.
func (o Options) assemble(s *milbench.Set, words []string) (*milbench.Set, error) {
	if s.Centre == nil {
		s.Centre = o.rounding.forSet(s.NumFeatures())
	}
	var bad badBags
	good := *s
	good.Bags, good.InstanceLabels = nil, nil
	var labels []string
	for i, word := range words {
		if lacksLabel(word) {
			bad.add("without a label", s.Bags[i].ID, fmt.Errorf("%s: %w", s.Name, noLabel(s.Bags[i].ID, word)))
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
	if err := o.leave(bad, s.Name, len(s.Bags)-len(bad.all)); err != nil {
		return nil, err
	}
	if len(bad.all) > 0 {
		s, words = &good, labels
	}
	validate := s.ValidateBags
	if words != nil {
		if err := o.setTargets(s, words); err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if !o.Judged {
			validate = s.Validate
		}
	}
	return sealed(s, validate)
}

// sealed validates, packs and seals a set.
func sealed(s *milbench.Set, validate func() error) (*milbench.Set, error) {
	if err := validate(); err != nil {
		return nil, err
	}
	milbench.Pack(s.Bags)
	if err := s.Seal(); err != nil {
		return nil, err
	}
	return s, nil
}
