package stats

import (
	"errors"
	"fmt"
)

// Confusion returns the confusion matrix of classes 0 to classes-1. Row i, column j has the number of bags of class i
// that were predicted as class j, see [PredictedClasses].
func Confusion(labels, predicted []int, classes int) ([][]int, error) {
	if err := checkPredicted(labels, predicted, classes); err != nil {
		return nil, err
	}
	matrix := make([][]int, classes)
	for i := range matrix {
		matrix[i] = make([]int, classes)
	}
	for i, y := range labels {
		matrix[y][predicted[i]]++
	}
	return matrix, nil
}

// checkPredicted returns an error for labels or predictions out of range.
func checkPredicted(labels, predicted []int, classes int) error {
	if classes < 2 {
		return fmt.Errorf("%d classes; two or more are needed", classes)
	}
	if len(labels) != len(predicted) {
		return fmt.Errorf("%d labels but %d predicted classes", len(labels), len(predicted))
	}
	if len(labels) == 0 {
		return errors.New("no labels and no predicted classes")
	}
	for i, y := range labels {
		if y < 0 || y >= classes {
			return fmt.Errorf("label %d at %d; labels are 0 to %d", y, i, classes-1)
		}
		if p := predicted[i]; p < 0 || p >= classes {
			return fmt.Errorf("predicted class %d at %d; classes are 0 to %d", p, i, classes-1)
		}
	}
	return nil
}
