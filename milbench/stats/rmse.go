package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// RMSE returns the root mean squared error of predictions for real targets, in the unit of the targets:
//
//	RMSE = √(mean of (y_i − p_i)²)
//
// It is never below the [MAE], because large errors count more.
func RMSE(targets, predictions []float64) (float64, error) {
	if err := checkTargets(targets, predictions); err != nil {
		return 0, err
	}
	return floats.Distance(targets, predictions, 2) / math.Sqrt(float64(len(targets))), nil
}
