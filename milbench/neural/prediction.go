package neural

// Prediction is what a model says of one bag.
type Prediction struct {
	Score       float64     // the logit of "positive"
	Probability float64     // its sigmoid
	Weights     [][]float64 // of each head, the weight of each instance
	Winners     []int       // of each head, the instance with the largest weight, the first of equals; nil for mean and sum
}

// Shares returns of each instance the mean of its weights over the heads, as a share of the bag: they add up to 1, which
// weights after Syn steps do not.
func (p Prediction) Shares() []float64 {
	var shares []float64
	sum := 0.0
	for h, weights := range p.Weights {
		if h == 0 {
			shares = make([]float64, len(weights))
		}
		for k, w := range weights {
			shares[k] += w
			sum += w
		}
	}
	for k := range shares {
		shares[k] /= sum
	}
	return shares
}
