package neural

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench"
)

// Prediction is what a model says of one bag.
type Prediction struct {
	Scores      []float64          // see [milbench.Prediction]
	Score       float64            // of a binary target the logit of "positive", of others the first of Scores
	Probability float64            // the sigmoid of Score
	Survival    *milbench.Survival // see [milbench.Prediction]
	Weights     [][]float64        // of each head, the weight of each instance
	Winners     []int              // of each head, the instance with the largest weight, the first of equals; nil for mean and sum
}

// finite reports whether the bag has a score.
func (p Prediction) finite() bool { return finite(p.Scores) }

func finite(scores []float64) bool {
	return !slices.ContainsFunc(scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// Shares returns of each instance the mean of its weights over the heads, as a share of the bag: they add up to 1, which
// weights after Syn steps do not.
func (p Prediction) Shares() []float64 {
	shares := p.meanWeights()
	floats.Scale(1/floats.Sum(shares), shares)
	return shares
}

// meanWeights returns of each instance the mean of its weights over the heads.
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
