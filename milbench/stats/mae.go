package stats

import "math"

// MAE returns the mean absolute error of predictions for real targets, in the unit of the targets:
//
//	MAE = mean of |y_i − p_i|
func MAE(targets, predictions []float64) (float64, error) {
	if err := checkTargets(targets, predictions); err != nil {
		return 0, err
	}
	sum := 0.0
	for i, y := range targets {
		sum += math.Abs(y - predictions[i])
	}
	return sum / float64(len(targets)), nil
}
