package stats

// MulticlassAUC returns the one-against-rest [AUC], averaged over the classes:
//
//	mean over c of AUC(label = c, p_c), p_c = exp(z_c) / sum_j exp(z_j)
//
// Here z are the logits, [bags][classes]. Every class has the same weight, however many bags it has. Classes without
// a bag are left out, because a fold may lack one. With fewer than two classes among the labels the AUC is undefined:
// [ErrOneClass]. Bags are ranked by the log-odds of p_c, which do not saturate near 1 as p_c does.
//
// Source: F. Provost and P. Domingos, "Tree induction for probability-based ranking", Machine Learning 52 (2003),
// with equal weights. It equals roc_auc_score of scikit-learn with multi_class "ovr" and average "macro".
func MulticlassAUC(labels []int, logits [][]float64) (float64, error) {
	counts, err := countTwoClasses(labels, logits)
	if err != nil {
		return 0, err
	}
	isClass, odds := make([]int, len(labels)), make([]float64, len(labels))
	others := make([]float64, 0, len(counts))
	sum, there := 0.0, 0
	for c, n := range counts {
		if n == 0 {
			continue
		}
		for i, row := range logits {
			isClass[i] = 0
			if labels[i] == c {
				isClass[i] = 1
			}
			odds[i] = logOdds(row, c, others)
		}
		auc, err := AUC(isClass, odds)
		if err != nil {
			return 0, err
		}
		sum += auc
		there++
	}
	return sum / float64(there), nil
}
