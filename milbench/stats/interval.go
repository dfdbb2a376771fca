package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// SD returns the sample standard deviation (divisor n-1). It needs two values: [ErrTooFew].
func SD(values []float64) (float64, error) {
	if err := checkSpread(values); err != nil {
		return 0, err
	}
	return stat.StdDev(values, nil), nil
}

// MeanInterval returns the mean of values and its two-sided confidence interval at a level in (0,1), for example
// 0.95:
//
//	mean -+ t(n-1, (1+level)/2) SD / sqrt(n)
//
// Here t is the quantile of Student's distribution. It needs two values: [ErrTooFew]. Cross-validation repeats use
// the same bags, so their interval covers other folds and seeds but not other bags.
func MeanInterval(values []float64, level float64) (mean, low, high float64, err error) {
	if !(level > 0 && level < 1) {
		return 0, 0, 0, fmt.Errorf("confidence level %v is outside (0,1)", level)
	}
	if err := checkSpread(values); err != nil {
		return 0, 0, 0, err
	}
	n := float64(len(values))
	mean, sd := stat.MeanStdDev(values, nil)
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+level)/2) * sd / math.Sqrt(n)
	return mean, mean - half, mean + half, nil
}

// checkSpread returns an error if values have no spread.
func checkSpread(values []float64) error {
	if len(values) < 2 {
		return fmt.Errorf("%w: %d", ErrTooFew, len(values))
	}
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("value at %d is %v", i, v)
		}
	}
	return nil
}
