package memory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// BetaPoint is what a continuous memory brings back at an inverse temperature.
type BetaPoint struct {
	Beta     float64
	Patterns float64 // that share the weight: exp of the mean entropy of the weights of the last update
	ToOwn    float64 // root mean square distance, a component, of the end from the pattern of the cue
	ToMean   float64 // and from the mean of all patterns
	Updates  float64 // mean number
}

// BetaSweep retrieves from cues, cue i being one of pattern i, with at most that many updates, at each inverse
// temperature: at small ones everything ends in the mean of all patterns, at large ones in one pattern.
func BetaSweep(patterns, cues [][]float64, betas []float64, updates int) ([]BetaPoint, error) {
	d, err := checkPatterns(patterns)
	if err != nil {
		return nil, err
	}
	if len(cues) == 0 || len(cues) > len(patterns) {
		return nil, fmt.Errorf("memory: %d cues of %d patterns; give at least one and at most one a pattern", len(cues), len(patterns))
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
		p := BetaPoint{Beta: beta}
		entropy, own, toMean := 0.0, 0.0, 0.0
		for i, cue := range cues {
			trace, err := Retrieve(&m, cue, updates, 1e-9)
			if err != nil {
				return nil, fmt.Errorf("cue %d at beta %v: %w", i, beta, err)
			}
			weights, err := m.OrderParameters(trace.Last())
			if err != nil {
				return nil, err
			}
			for _, w := range weights {
				if w > 0 {
					entropy -= w * math.Log(w) / n
				}
			}
			own += math.Pow(floats.Distance(trace.Last(), patterns[i], 2), 2) / (n * float64(d))
			toMean += math.Pow(floats.Distance(trace.Last(), mean, 2), 2) / (n * float64(d))
			p.Updates += float64(trace.Updates()) / n
		}
		p.Patterns, p.ToOwn, p.ToMean = math.Exp(entropy), math.Sqrt(own), math.Sqrt(toMean)
		points = append(points, p)
	}
	return points, nil
}
