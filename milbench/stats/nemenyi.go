package stats

import (
	"fmt"
	"math"
)

// mostMethods is the maximum number of methods in a Nemenyi test.
const mostMethods = 1000

// NemenyiDifference returns the critical difference of average ranks for k methods on n sets at level alpha in (0,1),
// for example 0.05. Methods differ if their average ranks are at least that far apart.
//
//	CD = q / sqrt(2) * sqrt(k (k+1) / (6 n))
//
// Here q is the quantile 1 - alpha of the studentized range for k methods with infinitely many degrees of freedom.
// See Demšar (2006), section 3.2.2; table 5 there lists q / sqrt(2).
func NemenyiDifference(methods, sets int, alpha float64) (float64, error) {
	switch {
	case methods < 2:
		return 0, fmt.Errorf("%d methods; a Nemenyi test needs at least 2", methods)
	case methods > mostMethods:
		return 0, fmt.Errorf("%d methods; a Nemenyi test takes at most %d", methods, mostMethods)
	case sets < 1:
		return 0, fmt.Errorf("%d sets; a Nemenyi test needs at least 1", sets)
	case !(alpha > 0 && alpha < 1):
		return 0, fmt.Errorf("significance level %v is outside (0,1)", alpha)
	}
	k := float64(methods)
	return studentizedRangeQuantile(1-alpha, methods) * (math.Sqrt(k*(k+1)/(6*float64(sets))) / math.Sqrt2), nil
}
