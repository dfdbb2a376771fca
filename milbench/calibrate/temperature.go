package calibrate

import (
	"math"
	"slices"
)

// maxLogT limits the logarithm of a temperature.
const maxLogT = 10

// temperature returns the T with maximum likelihood. The log-loss is convex in β = 1/T. Its derivative, the sum over
// bags of (mean of z under the softmax of βz) − z of the label, increases with β; bisection of log β finds the zero.
// T is 1 if the likelihood does not depend on it, for example if all scores are 0.
func temperature(labels []int, scores [][]float64) float64 {
	slope := func(beta float64) float64 {
		sum := 0.0
		for i, z := range scores {
			p := softmax(z, beta)
			if len(z) == 1 {
				sum += (p[0] - float64(labels[i])) * z[0]
				continue
			}
			for k, s := range z {
				sum += p[k] * (s - z[labels[i]])
			}
		}
		return sum
	}
	low, high := -float64(maxLogT), float64(maxLogT)
	switch above, below := slope(math.Exp(low)) >= 0, slope(math.Exp(high)) <= 0; {
	case above && below: // the likelihood is constant
		return 1
	case above:
		return math.Exp(maxLogT)
	case below:
		return math.Exp(-maxLogT)
	}
	for range 200 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if slope(math.Exp(middle)) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(-low)
}

// softmax returns the probabilities for logits beta·z. For a single logit it is the probability of the positive
// class.
func softmax(z []float64, beta float64) []float64 {
	if len(z) == 1 {
		return []float64{logistic(beta * z[0])}
	}
	largest, sum := slices.Max(z), 0.0
	p := make([]float64, len(z))
	for k, s := range z {
		p[k] = math.Exp(beta * (s - largest))
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

// logistic returns 1/(1+exp(−z)).
func logistic(z float64) float64 {
	if z < 0 {
		e := math.Exp(z)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-z))
}
