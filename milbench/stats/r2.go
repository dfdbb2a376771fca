package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
)

// R2 returns the coefficient of determination of predictions for real targets:
//
//	R² = 1 − sum_i (y_i − p_i)² / sum_i (y_i − mean(y))²
//
// It is 1 for exact predictions and 0 for always predicting the mean of these targets; it has no lower bound. It
// depends on the spread of the targets, so compare R² only on the same bags. If all targets are equal it is
// undefined: [ErrAllEqual].
func R2(targets, predictions []float64) (float64, error) {
	if err := checkTargets(targets, predictions); err != nil {
		return 0, err
	}
	if allEqual(targets) {
		return 0, fmt.Errorf("%w: R² of %d targets", ErrAllEqual, len(targets))
	}
	mean := stat.Mean(targets, nil)
	residual, total := 0.0, 0.0
	for i, y := range targets {
		residual += (y - predictions[i]) * (y - predictions[i])
		total += (y - mean) * (y - mean)
	}
	if ratio := residual / total; !math.IsNaN(ratio) && !math.IsInf(ratio, 0) {
		return 1 - ratio, nil
	}
	return 0, fmt.Errorf("%w: sums of squares are %v and %v", ErrRange, residual, total)
}
