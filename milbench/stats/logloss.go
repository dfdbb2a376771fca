package stats

import "math"

// LogLoss returns the mean negative log-likelihood of labels, in nats, given logits (not probabilities):
//
//	mean of log(1 + exp(-z)) for a positive, log(1 + exp(z)) for a negative
//
// It neither overflows nor clips: for a logit on the wrong side it grows linearly.
func LogLoss(labels []int, logits []float64) (float64, error) {
	if _, _, err := count(labels, logits); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, z := range logits {
		if labels[i] == 1 {
			z = -z
		}
		sum += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
	}
	return sum / float64(len(logits)), nil
}
