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
	if err := checkNemenyi(methods, sets); err != nil {
		return 0, err
	}
	if !(alpha > 0 && alpha < 1) {
		return 0, fmt.Errorf("significance level %v is outside (0,1)", alpha)
	}
	return studentizedRangeQuantile(1-alpha, methods) * rankError(methods, sets), nil
}

// Nemenyi returns the p-value of the difference between each pair of methods, given their average ranks over n sets
// ([AverageRanks], [FriedmanTest].Ranks). The table is symmetric with 1 on its diagonal:
//
//	1 - P(|R_i - R_j| sqrt(2) / sqrt(k (k+1) / (6 n)))
//
// Here P is the studentized range for k methods with infinitely many degrees of freedom. The p-values account for all
// pairs and need no further correction. Their absolute error is about 1e-13.
func Nemenyi(ranks []float64, sets int) ([][]float64, error) {
	k := len(ranks)
	if err := checkNemenyi(k, sets); err != nil {
		return nil, err
	}
	for i, r := range ranks {
		if !(r >= 1 && r <= float64(k)) {
			return nil, fmt.Errorf("the rank %v of method %d is not between 1 and %d", r, i, k)
		}
	}
	p := make([][]float64, k)
	for i := range p {
		p[i] = make([]float64, k)
		p[i][i] = 1
		for j := range i {
			p[i][j] = max(1-studentizedRange(math.Abs(ranks[i]-ranks[j])/rankError(k, sets), k), 0)
			p[j][i] = p[i][j]
		}
	}
	return p, nil
}

// rankError returns the unit in which the studentized range measures differences of average ranks.
func rankError(methods, sets int) float64 {
	k := float64(methods)
	return math.Sqrt(k*(k+1)/(6*float64(sets))) / math.Sqrt2
}

func checkNemenyi(methods, sets int) error {
	switch {
	case methods < 2:
		return fmt.Errorf("%d methods; a Nemenyi test needs at least 2", methods)
	case methods > mostMethods:
		return fmt.Errorf("%d methods; a Nemenyi test takes at most %d", methods, mostMethods)
	case sets < 1:
		return fmt.Errorf("%d sets; a Nemenyi test needs at least 1", sets)
	}
	return nil
}
