package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// countClasses checks labels and logits, [bags][classes], and returns the number of bags in each class.
func countClasses(labels []int, logits [][]float64) ([]int, error) {
	if len(labels) != len(logits) {
		return nil, fmt.Errorf("%d labels but %d rows of scores", len(labels), len(logits))
	}
	if len(labels) == 0 {
		return nil, errors.New("no labels and no scores")
	}
	classes := len(logits[0])
	if classes < 2 {
		return nil, fmt.Errorf("row 0 has %d scores; it needs one per class, of two classes or more", classes)
	}
	counts := make([]int, classes)
	for i, row := range logits {
		if len(row) != classes {
			return nil, fmt.Errorf("row %d has %d scores, row 0 has %d", i, len(row), classes)
		}
		largest := math.Inf(-1)
		for c, z := range row {
			if math.IsNaN(z) || math.IsInf(z, 1) {
				return nil, fmt.Errorf("score of class %d at %d is %v", c, i, z)
			}
			largest = max(largest, z)
		}
		if math.IsInf(largest, -1) {
			return nil, fmt.Errorf("all scores at %d are %v", i, largest)
		}
		if labels[i] < 0 || labels[i] >= classes {
			return nil, fmt.Errorf("label %d at %d; labels are 0 to %d", labels[i], i, classes-1)
		}
		counts[labels[i]]++
	}
	return counts, nil
}

// countTwoClasses is [countClasses] for figures that need at least two classes among the labels.
func countTwoClasses(labels []int, logits [][]float64) ([]int, error) {
	counts, err := countClasses(labels, logits)
	if err == nil && counts[labels[0]] == len(labels) {
		err = fmt.Errorf("%w: all %d labels are %d", ErrOneClass, len(labels), labels[0])
	}
	return counts, err
}

// lessLogSumExp returns z - log(sum exp(logits)) without overflow; it is +Inf if all logits are -Inf.
func lessLogSumExp(z float64, logits []float64) float64 {
	largest := slices.Max(logits)
	if math.IsInf(largest, -1) {
		return math.Inf(1)
	}
	sum := 0.0
	for _, x := range logits {
		sum += math.Exp(x - largest)
	}
	return z - largest - math.Log(sum)
}

// LogOdds returns the log-odds of a class, log(p_c / (1 - p_c)), where p is the softmax of logits:
//
//	z_c - log(sum over j other than c of exp(z_j))
//
// It does not saturate near 1 as p_c does. Adding a number to all logits does not change it. [MulticlassAUC] ranks
// bags by it.
func LogOdds(logits []float64, class int) float64 {
	return logOdds(logits, class, make([]float64, 0, len(logits)))
}

// logOdds is LogOdds with a buffer for all logits except one.
func logOdds(logits []float64, class int, room []float64) float64 {
	others := append(append(room[:0], logits[:class]...), logits[class+1:]...)
	slices.Sort(others) // so that rows that differ only in the order of the others stay tied
	return lessLogSumExp(logits[class], others)
}
