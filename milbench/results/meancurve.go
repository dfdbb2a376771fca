package results

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// MeanCurve is how often winners change, averaged over all fits of one setting on one set.
type MeanCurve struct {
	Set     string          `json:"set"`
	Config  json.RawMessage `json:"config"`
	Fits    int             `json:"fits"`
	Changes []Changes       `json:"changes"`
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
	m := MeanCurve{Set: first.Set, Config: first.Config, Fits: len(curves)}
	for _, c := range first.Changes {
		m.Changes = append(m.Changes, Changes{Part: c.Part, Way: c.Way, Shares: make([]float64, len(c.Shares))})
	}
	for _, c := range curves {
		if len(c.Loss) != len(first.Loss) || len(c.Changes) != len(first.Changes) {
			return MeanCurve{}, fmt.Errorf("%s: curves of %s over %d and over %d epochs, with %d and with %d changes of winners",
				c.Set, c.Config, len(first.Loss), len(c.Loss), len(first.Changes), len(c.Changes))
		}
		for k, change := range c.Changes {
			floats.AddScaled(m.Changes[k].Shares, 1/float64(len(curves)), change.Shares)
			m.Changes[k].Least += floats.Min(change.Shares) / float64(len(curves))
		}
	}
	return m, nil
}
