package run

import (
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// groupFigure returns [results.Result.Group] for the scored bags of a test part. It is nil if a bag of the set has no
// group, if no group has several bags, or if the groups of the part have no such figure. Groups made only for
// duplicates leave the other bags without a group.
func (s *setStudy) groupFigure(fit cv.Fit, test []results.ScoredBag) (*results.GroupFigure, error) {
	if len(mil.Units(s.set.Bags)) == len(s.set.Bags) {
		return nil, nil
	}
	for _, b := range s.set.Bags {
		if b.Group == "" {
			return nil, nil
		}
	}
	var bags []mil.Bag
	for _, i := range fit.Test {
		bags = append(bags, s.set.Bags[i])
	}
	var figures [2]float64
	for k, largest := range []bool{false, true} {
		joined := results.ByGroup(s.set.Kind, test, mil.Units(bags), largest)
		if joined == nil {
			return nil, nil
		}
		var err error
		figures[k], err = results.Figure(s.set.Kind, len(s.set.Classes), joined)
		if stats.Undefined(err) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("scores of the groups: %w", err)
		}
	}
	return &results.GroupFigure{Mean: figures[0], Max: figures[1]}, nil
}
