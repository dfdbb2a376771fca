package memory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// BetaPoint describes what a continuous memory retrieves at one inverse temperature.
type BetaPoint struct {
	Beta     float64
	SharedBy float64 // number of patterns that share the weight: exp of the mean entropy of the final weights
	ToOwn    float64 // root mean square distance per component from the final state to the cue's pattern
	ToMean   float64 // the same distance to the mean of all patterns
	Updates  float64 // mean number of updates
	Fixed    float64 // share of the final states that are fixed; the others reached the limit of updates
}

// BetaSweep retrieves from cues with at most that many updates, at each of the inverse temperatures; cue i belongs to
// pattern i. At small β every state ends in the mean of all patterns, at large β in one pattern.
func BetaSweep(patterns, cues [][]float64, betas []float64, updates int) ([]BetaPoint, error) {
	d, err := checkPatterns(patterns)
	if err != nil {
		return nil, err
	}
	if err := checkCues(cues, len(patterns)); err != nil {
		return nil, err
	}
	mean := make([]float64, d)
	for _, x := range patterns {
		floats.AddScaled(mean, 1/float64(len(patterns)), x)
	}
	n := float64(len(cues))
	points := make([]BetaPoint, 0, len(betas))
	for _, beta := range betas {
		m := Continuous{Beta: beta}
		if err := m.Store(patterns); err != nil {
			return nil, err
		}
		count, fixed, entropy, own, toMean := 0, 0, 0.0, 0.0, 0.0
		for i, cue := range cues {
			end, updated, ended, err := settle(&m, cue, updates, 1e-9, nil)
			if err != nil {
				return nil, fmt.Errorf("cue %d at beta %v: %w", i, beta, err)
			}
			weights, err := m.OrderParameters(end)
			if err != nil {
				return nil, fmt.Errorf("cue %d at beta %v: %w", i, beta, err)
			}
			for _, w := range weights {
				if w > 0 {
					entropy -= w * math.Log(w) / n
				}
			}
			own += math.Pow(floats.Distance(end, patterns[i], 2), 2) / (n * float64(d))
			toMean += math.Pow(floats.Distance(end, mean, 2), 2) / (n * float64(d))
			count += updated
			if ended {
				fixed++
			}
		}
		if err := checkFinite("the square of a distance", own, toMean); err != nil {
			return nil, err
		}
		points = append(points, BetaPoint{
			Beta:     beta,
			SharedBy: math.Exp(entropy),
			ToOwn:    math.Sqrt(own),
			ToMean:   math.Sqrt(toMean),
			Updates:  float64(count) / n,
			Fixed:    float64(fixed) / n,
		})
	}
	return points, nil
}
