package judge

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// RMSE returns the root mean squared error of predictions of real targets, in their unit:
//
//	RMSE = √(mean of (y_i − p_i)²)
//
// It is at least the [MAE], and large errors count more.
func RMSE(targets, predictions []float64) (float64, error) {
	if err := checkTargets(targets, predictions); err != nil {
		return 0, err
	}
	return floats.Distance(targets, predictions, 2) / math.Sqrt(float64(len(targets))), nil
}
