package corpus

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// Report has the scores of a classifier, all from 0 to 1.
type Report struct {
	Accuracy float64   `json:"accuracy"` // share of texts with the right class, or with all labels right
	F1       []float64 `json:"f1"`       // of each class or label, 2 TP / (2 TP + FP + FN)
	AUC      []float64 `json:"auc"`      // of the texts with each class or label against the rest; ties count half
	MacroF1  float64   `json:"macro_f1"`
	MacroAUC float64   `json:"macro_auc"`
}

// Evaluate compares labels 0 to K-1 with the scores of the K classes. The predicted class is the one with the largest score,
// the first if there are several; any increasing function of a probability can be a score. Macro scores are unweighted means
// over the classes. Every class must have at least one text, and no score may be NaN.
func Evaluate(labels []int, scores [][]float64) (Report, error) {
	classes, err := checkScores(len(labels), scores)
	if err != nil {
		return Report{}, err
	}
	if _, err := countClasses(labels, len(scores), classes); err != nil {
		return Report{}, err
	}
	actual, predicted := make([][]bool, len(labels)), make([][]bool, len(labels))
	for i, s := range scores {
		actual[i], predicted[i] = make([]bool, classes), make([]bool, classes)
		actual[i][labels[i]], predicted[i][floats.MaxIdx(s)] = true, true
	}
	return report(actual, predicted, scores), nil
}

// EvaluateLabels compares texts that can have several of K labels with the probabilities of the labels. A label is predicted
// if its probability is at least 1/2. Macro scores are unweighted means over the labels; the challenge of [Comment] ranks by
// the macro-AUC. There must be a text with each label and one without it, and no probability may be NaN.
func EvaluateLabels(labels [][]bool, probabilities [][]float64) (Report, error) {
	of, err := checkScores(len(labels), probabilities)
	if err != nil {
		return Report{}, err
	}
	with, predicted := make([]int, of), make([][]bool, len(labels))
	for i, p := range probabilities {
		if len(labels[i]) != of {
			return Report{}, fmt.Errorf("text %d has %d labels and %d probabilities", i, len(labels[i]), of)
		}
		predicted[i] = make([]bool, of)
		for k := range p {
			predicted[i][k] = p[k] >= 0.5
			if labels[i][k] {
				with[k]++
			}
		}
	}
	for k, n := range with {
		if n == 0 || n == len(labels) {
			return Report{}, fmt.Errorf("%d of %d texts have label %d; there must be texts with it and without it", n, len(labels), k)
		}
	}
	return report(labels, predicted, probabilities), nil
}

// checkScores returns the number of scores that each of n texts has.
func checkScores(n int, scores [][]float64) (int, error) {
	switch {
	case len(scores) == 0:
		return 0, fmt.Errorf("%d labels and no scores", n)
	case len(scores) != n:
		return 0, fmt.Errorf("%d labels for %d texts", n, len(scores))
	}
	for i, s := range scores {
		if len(s) != len(scores[0]) {
			return 0, fmt.Errorf("text %d has %d scores, the first has %d", i, len(s), len(scores[0]))
		}
		if floats.HasNaN(s) {
			return 0, fmt.Errorf("text %d has a score that is NaN", i)
		}
	}
	return len(scores[0]), nil
}

// report compares the actual with the predicted labels, [text][label] each.
func report(actual, predicted [][]bool, scores [][]float64) Report {
	right, of := 0, len(scores[0])
	for i := range actual {
		if slices.Equal(actual[i], predicted[i]) {
			right++
		}
	}
	r := Report{Accuracy: float64(right) / float64(len(actual)), F1: make([]float64, of), AUC: make([]float64, of)}
	for k := range of {
		is, score := make([]bool, len(actual)), make([]float64, len(actual))
		both, sum := 0, 0
		for i := range actual {
			is[i], score[i] = actual[i][k], scores[i][k]
			if is[i] {
				sum++
			}
			if predicted[i][k] {
				sum++
			}
			if is[i] && predicted[i][k] {
				both++
			}
		}
		r.F1[k], r.AUC[k] = 2*float64(both)/float64(sum), auc(is, score)
	}
	r.MacroF1, r.MacroAUC = stat.Mean(r.F1, nil), stat.Mean(r.AUC, nil)
	return r
}

// auc returns the area under the ROC curve; it sorts its arguments.
func auc(is []bool, scores []float64) float64 {
	stat.SortWeightedLabeled(scores, is, nil)
	tpr, fpr, _ := stat.ROC(nil, scores, is, nil)
	return math.Min(1, integrate.Trapezoidal(fpr, tpr))
}
