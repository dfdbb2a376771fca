package neural

// Prediction is what a model says of one bag.
type Prediction struct {
	Score       float64     // the logit of "positive"
	Probability float64     // its sigmoid
	Weights     [][]float64 // of each head, the weight of each instance
	Winners     []int       // of each head, the instance with the largest weight, the first of equals; nil for mean and sum
}
