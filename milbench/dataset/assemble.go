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
