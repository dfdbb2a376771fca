package corpus

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
)

// Report has the scores of a classifier, all from 0 to 1.
type Report struct {
	Accuracy float64   `json:"accuracy"`
	F1       []float64 `json:"f1"`  // of each class, 2 TP / (2 TP + FP + FN)
	AUC      []float64 `json:"auc"` // of each class against the rest; ties count half
	MacroF1  float64   `json:"macro_f1"`
	MacroAUC float64   `json:"macro_auc"`
}

// Evaluate compares labels 0 to K-1 with the scores of the K classes. The predicted class is the one with the largest score,
// the first if there are several; any increasing function of a probability can be a score. Macro scores are unweighted means
// over the classes. Every class must have at least one text, and no score may be NaN.
func Evaluate(labels []int, scores [][]float64) (Report, error) {
	if len(scores) == 0 {
		return Report{}, fmt.Errorf("%d labels and no scores", len(labels))
	}
	classes := len(scores[0])
	counts, err := countClasses(labels, len(scores), classes)
	if err != nil {
		return Report{}, err
	}
	predicted, right := make([]int, classes), make([]int, classes)
	for i, s := range scores {
		if len(s) != classes {
			return Report{}, fmt.Errorf("text %d has %d scores, the first has %d", i, len(s), classes)
		}
		if floats.HasNaN(s) {
			return Report{}, fmt.Errorf("text %d has a score that is NaN", i)
		}
		k := floats.MaxIdx(s)
		predicted[k]++
		if k == labels[i] {
			right[k]++
		}
	}
	r := Report{F1: make([]float64, classes), AUC: make([]float64, classes)}
	for k, n := range counts {
		r.Accuracy += float64(right[k]) / float64(len(labels))
		r.F1[k] = 2 * float64(right[k]) / float64(predicted[k]+n)
		r.AUC[k] = auc(labels, scores, k)
	}
	r.MacroF1, r.MacroAUC = stat.Mean(r.F1, nil), stat.Mean(r.AUC, nil)
	return r, nil
}

// auc returns the area under the ROC curve of class k against the rest.
func auc(labels []int, scores [][]float64, k int) float64 {
	of, is := make([]float64, len(labels)), make([]bool, len(labels))
	for i, s := range scores {
		of[i], is[i] = s[k], labels[i] == k
	}
	stat.SortWeightedLabeled(of, is, nil)
	tpr, fpr, _ := stat.ROC(nil, of, is, nil)
	return math.Min(1, integrate.Trapezoidal(fpr, tpr))
}
