package neural

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench"
)

// Prediction is a model's prediction for one bag.
type Prediction struct {
	Scores      []float64          // see [milbench.Prediction]
	Score       float64            // logit of "positive" for a binary target, otherwise the first of Scores
	Probability float64            // sigmoid of Score
	Survival    *milbench.Survival // see [milbench.Prediction]
	Weights     [][]float64        // weight of each instance, per head
	Winners     []int              // instance with the largest weight per head, the first one if several are equal; nil for mean and sum
}

// finite reports whether all scores are finite.
func (p Prediction) finite() bool { return finite(p.Scores) }

func finite(scores []float64) bool {
	return !slices.ContainsFunc(scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Shares returns each instance's share of the bag: its weights, averaged over the heads and scaled to sum 1. Weights
// after Syn steps do not sum to 1.
func (p Prediction) Shares() []float64 {
	shares := p.meanWeights()
	floats.Scale(1/floats.Sum(shares), shares)
	return shares
}

// meanWeights returns the weights of each instance, averaged over the heads.
func (p Prediction) meanWeights() []float64 {
	var mean []float64
	for h, weights := range p.Weights {
		if h == 0 {
			mean = make([]float64, len(weights))
		}
		floats.AddScaled(mean, 1/float64(len(p.Weights)), weights)
	}
	return mean
}
