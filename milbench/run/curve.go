package run

import (
	"fmt"
	"slices"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// curve returns the curve of an outcome that has all epochs.
func (s *setStudy) curve(o learner.Outcome) (results.Curve, error) {
	fit, r := s.missing[o.Fit].Fit, s.missing[o.Fit].result
	c := results.Curve{Fit: r.Fit, Set: r.Set, Repeat: r.Repeat, Fold: r.Fold, Config: r.Config}
	for i, e := range o.Epochs {
		if e.Number != i+1 {
			return results.Curve{}, fmt.Errorf("the learner returned epoch %d where epoch %d comes", e.Number, i+1)
		}
		c.Loss = append(c.Loss, e.Loss)
		if len(fit.HeldOut()) > 0 {
			validation, err := s.held(fit, e)
			if err != nil {
				return results.Curve{}, fmt.Errorf("epoch %d, validation part: %w", e.Number, err)
			}
			inside, err := results.InsideOf(s.set.Kind, len(s.set.Classes), validation)
			if err != nil {
				return results.Curve{}, fmt.Errorf("epoch %d, validation part: %w", e.Number, err)
			}
			c.Validation = append(c.Validation, inside.Figure)
		}
		var changed *float64
		if i > 0 {
			changed = winnersChanged(heldOut(o.Epochs[i-1]), heldOut(e))
		}
		c.WinnersChanged = append(c.WinnersChanged, changed)
		for k, w := range e.Winners {
			if i == 0 {
				c.Changes = append(c.Changes, results.Changes{Part: w.Part, Way: w.Way})
				continue
			}
			changed := 0
			for at, instance := range w.Of {
				if instance != o.Epochs[i-1].Winners[k].Of[at] {
					changed++
				}
			}
			c.Changes[k].Shares = append(c.Changes[k].Shares, float64(changed)/float64(max(1, len(w.Of))))
		}
	}
	return c, c.Validate()
}

// heldOut returns the predictions for the validation and the test part.
func heldOut(e learner.Epoch) []mil.Prediction { return slices.Concat(e.Validation, e.Test) }

// winnersChanged returns the share of bags and heads with a different winner, or nil if there are no winners.
func winnersChanged(before, after []mil.Prediction) *float64 {
	changed, all := 0, 0
	for i, b := range after {
		for head, winner := range b.Winners {
			all++
			if head >= len(before[i].Winners) || winner != before[i].Winners[head] {
				changed++
			}
		}
	}
	if all == 0 {
		return nil
	}
	share := float64(changed) / float64(all)
	return &share
}
