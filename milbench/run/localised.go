package run

import (
	"fmt"
	"math"

	"synpool/milbench/cv"
	"synpool/milbench/localise"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// instanceTruth returns the labels of instances of each bag. It returns nil if no bag has instances of both kinds, as instance
// labels add nothing to the bag labels then.
func instanceTruth(s *mil.Set) ([]localise.Bag, error) {
	if !localise.Known(s) {
		return nil, nil
	}
	bags, err := localise.Truth(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return bags, nil
}

// localised returns [results.Result.Localised] for an epoch's test scores. It is nil if the learner scores no instances, and if no
// test bag has both kinds.
func (s *setStudy) localised(fit cv.Fit, test []mil.Prediction) (*results.Localised, error) {
	if !fit.Instances {
		return nil, nil
	}
	var bags []localise.Bag
	var tested []mil.Bag
	out := results.Localised{Labels: s.labels}
	for k, i := range fit.Test {
		if test[k].Instances == nil { // not all learners score instances
			return nil, nil
		}
		b, err := s.truth[i].Scored(test[k].Instances)
		if err != nil {
			return nil, err
		}
		tested = append(tested, s.set.Bags[i])
		if bags = append(bags, b); b.Both() {
			f := localise.NewPool(bags[k:]).Figures(nil)
			out.Bags = append(out.Bags, results.LocalisedBag{ID: b.ID, Group: s.set.Bags[i].Group, AUC: f.AUC, AP: f.AP, Dice: f.Dice})
		}
	}
	if out.Bags == nil {
		return nil, nil
	}
	pool := localise.NewPool(bags)
	f := pool.Figures(nil)
	out.AUC, out.AP, out.Dice = f.AUC, f.AP, f.Dice
	if f.FROC != nil {
		out.FROC = f.FROC.Sensitivity[:]
	}
	units := mil.Units(tested)
	for u, f := range pool.Without(units) {
		first := tested[units[u][0]]
		one := results.LocalisedUnit{Group: first.Group, AUC: f.AUC, AP: f.AP, Dice: f.Dice}
		if first.Group == "" {
			one.Bag = first.ID
		}
		if f.FROC != nil {
			one.FROC = f.FROC.Mean
		}
		if math.IsNaN(one.AUC + one.AP + one.FROC) { // all positive instances, or all negative ones, are in this unit
			out.Without = nil
			break
		}
		out.Without = append(out.Without, one)
	}
	return &out, nil
}
