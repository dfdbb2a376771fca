package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// PredictedClasses returns the class with the largest score for each bag, [bags][classes]. Ties go to the first
// class. It returns an error for rows of unequal length and NaN.
func PredictedClasses(scores [][]float64) ([]int, error) {
	predicted := make([]int, len(scores))
	for i, row := range scores {
		if len(row) == 0 || len(row) != len(scores[0]) {
			return nil, fmt.Errorf("row %d has %d scores, row 0 has %d; every row needs one per class", i, len(row), len(scores[0]))
		}
		for c, z := range row {
			if math.IsNaN(z) {
				return nil, fmt.Errorf("score of class %d at %d is NaN", c, i)
			}
		}
		predicted[i] = floats.MaxIdx(row)
	}
	return predicted, nil
}
