package stats

// MulticlassLogLoss returns the mean negative log-likelihood of labels, in nats, given logits, [bags][classes]:
//
//	mean of log(sum_j exp(z_j)) - z_label
//
// It neither overflows nor clips: for a logit of the wrong class it grows linearly. To evaluate probabilities, pass
// their logarithms; if the label has probability 0, the loss is +Inf. For two classes it equals [LogLoss] of
// z_1 - z_0.
func MulticlassLogLoss(labels []int, logits [][]float64) (float64, error) {
	if _, err := countClasses(labels, logits); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, row := range logits {
		sum += max(0, -lessLogSumExp(row[labels[i]], row))
	}
	return sum / float64(len(labels)), nil
}
