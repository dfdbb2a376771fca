package mil

import (
	"math"
	"slices"
)

// Prediction is the output of a trained model for one bag.
type Prediction struct {
	// Scores depends on the target. Binary: one logit of the positive class. Classes: one logit per class. Real: the
	// value. Survival: the logarithm of the risk, or for models joined by rank a number that orders bags by risk.
	Scores []float64

	// Survival is the predicted survival curve. It is nil for other targets, and for models that only order bags.
	Survival *Survival

	// Weights has the weight of each instance, for each head of a network's pooling. It is nil for other models and in the
	// outcomes of fits.
	Weights [][]float64

	// Winners has the instance with the largest weight for each head, the first one if several are equal; nil if all
	// weights are equal. Syn steps keep the order of weights, but round: those before the steps decide.
	Winners []int

	// Instances has one score per instance if [synpool/milbench/cv.Fit.Instances] asks for it and the learner provides it. A larger score
	// means that the instance matters more in its bag. It is the pooling weight averaged over the heads, the score of
	// an instance classifier, or for an ensemble the mean over its members. Scores from different bags cannot be
	// compared.
	Instances []float64

	// ClassInstances has one such score for each class and instance: how strongly the instance speaks for the class.
	// Instances then has the scores for the bag's class or, for a network, the weights.
	ClassInstances [][]float64

	// Members has the scores from each member of an ensemble.
	Members [][]float64
}

// Probability returns the sigmoid of the first score, which is the probability of the positive class if that is a logit.
func (p Prediction) Probability() float64 { return 1 / (1 + math.Exp(-p.Scores[0])) }

// Finite reports whether all scores are finite.
func (p Prediction) Finite() bool {
	return !slices.ContainsFunc(p.Scores, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// MeanWeights returns the weights of each instance, averaged over the heads.
func (p Prediction) MeanWeights() []float64 {
	var mean []float64
	for h, weights := range p.Weights {
		if h == 0 {
			mean = make([]float64, len(weights))
		}
		for i, w := range weights {
			mean[i] += w / float64(len(p.Weights))
		}
	}
	return mean
}

// Shares returns each instance's share of the bag: its weights, averaged over the heads and scaled to sum 1. Weights
// after Syn steps do not sum to 1.
func (p Prediction) Shares() []float64 {
	shares, sum := p.MeanWeights(), 0.0
	for _, s := range shares {
		sum += s
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// Scored returns a prediction with a single score, as for a binary target.
func Scored(score float64) Prediction { return Prediction{Scores: []float64{score}} }
