package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// MeanCurve is the curve averaged over all fits of one setting on one set.
type MeanCurve struct {
	Set    string          `json:"set"`
	Config json.RawMessage `json:"config"`
	Fits   int             `json:"fits"`

	Loss           []float64 `json:"loss"`                      // after every epoch
	WinnersChanged []float64 `json:"winners_changed,omitempty"` // after every epoch except the first; empty without winners

	// Least is the smallest share of winners that changed between two epochs, averaged over the fits.
	Least float64 `json:"least,omitempty"`

	Changes []Changes `json:"changes,omitempty"`
}

// MeanCurves averages curves by set and setting, in order. Curves of one setting on one set must have equal length.
func MeanCurves(curves []Curve) ([]MeanCurve, error) {
	curves = slices.Clone(curves)
	for i, c := range curves {
		var err error
		if curves[i].Config, err = cv.CanonicalSetting(c.Config); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(curves, func(a, b Curve) int {
		return cmp.Or(mil.CompareNatural(a.Set, b.Set), bytes.Compare(a.Config, b.Config),
			cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Fold, b.Fold), cmp.Compare(a.Fit, b.Fit))
	})
	var means []MeanCurve
	for some := range adjacent(curves, func(a, b Curve) bool { return a.Set == b.Set && bytes.Equal(a.Config, b.Config) }) {
		mean, err := meanCurve(some)
		if err != nil {
			return nil, err
		}
		means = append(means, mean)
	}
	return means, nil
}

// meanCurve averages curves of one setting on one set.
func meanCurve(curves []Curve) (MeanCurve, error) {
	first := curves[0]
	m := MeanCurve{Set: first.Set, Config: first.Config, Fits: len(curves), Loss: make([]float64, len(first.Loss))}
	n := float64(len(curves))
	for _, c := range curves {
		if len(c.Loss) != len(first.Loss) || len(c.WinnersChanged) != len(c.Loss) {
			return MeanCurve{}, fmt.Errorf("%s: curves of %s over %d and over %d epochs", c.Set, c.Config, len(first.Loss), len(c.Loss))
		}
		least := 1.0
		for i, v := range c.Loss {
			m.Loss[i] += v / n
			if i == 0 || c.WinnersChanged[i] == nil {
				continue
			}
			if m.WinnersChanged == nil {
				m.WinnersChanged = make([]float64, len(first.Loss)-1)
			}
			m.WinnersChanged[i-1] += *c.WinnersChanged[i] / n
			least = min(least, *c.WinnersChanged[i])
		}
		if m.WinnersChanged != nil {
			m.Least += least / n
		}
		if len(c.Changes) != len(first.Changes) {
			return MeanCurve{}, fmt.Errorf("%s: curves of %s with %d and with %d changes of winners", c.Set, c.Config, len(first.Changes), len(c.Changes))
		}
		for k, change := range c.Changes {
			if m.Changes == nil {
				m.Changes = make([]Changes, len(c.Changes))
			}
			mean := &m.Changes[k]
			mean.Part, mean.Way = change.Part, change.Way
			if mean.Shares == nil {
				mean.Shares = make([]float64, len(change.Shares))
			}
			for i, share := range change.Shares {
				mean.Shares[i] += share / n
			}
			mean.Least += slices.Min(change.Shares) / n
		}
	}
	return m, nil
}
