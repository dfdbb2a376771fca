package dataset

import (
	"fmt"

	"synpool/milbench"
)

// assemble makes a set of bags, whose targets are given as words, or of none where words is nil. instanceLabels may be nil.
func assemble(name string, bags []milbench.Bag, words []string, instanceLabels [][]float64, features []string) (*milbench.Set, error) {
	s := &milbench.Set{Name: name, Features: features, Bags: bags, InstanceLabels: instanceLabels}
	validate := s.ValidateBags
	if words != nil {
		if err := setTargets(s, words); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		validate = s.Validate
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
