package judge

import (
	"fmt"
	"math"
)

// mostMethods bounds the methods of a Nemenyi test.
const mostMethods = 1000

// NemenyiDifference returns the critical difference of average ranks of k methods on n sets at the level alpha in (0,1),
// say 0.05: methods whose ranks are that far apart differ.
//
//	CD = q / sqrt(2) * sqrt(k (k+1) / (6 n))
//
// with q the quantile 1 - alpha of the studentized range of k with infinitely many degrees of freedom. Demšar (2006),
// section 3.2.2, whose table 5 lists q / sqrt(2).
func NemenyiDifference(methods, sets int, alpha float64) (float64, error) {
	if err := checkNemenyi(methods, sets); err != nil {
		return 0, err
	}
	if !(alpha > 0 && alpha < 1) {
		return 0, fmt.Errorf("significance level %v is outside (0,1)", alpha)
	}
	return studentizedRangeQuantile(1-alpha, methods) * rankError(methods, sets), nil
}

// Nemenyi returns the p-value of the difference of each pair of methods, a symmetric table with 1 on its diagonal, from
// their average ranks over n sets ([AverageRanks], [FriedmanTest].Ranks):
//
//	1 - P(|R_i - R_j| sqrt(2) / sqrt(k (k+1) / (6 n)))
//
// with P the studentized range of k with infinitely many degrees of freedom. The p-values account for all pairs: no
// further correction is due. They are exact to about 1e-13, not relatively.
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

// rankError returns the unit in which the studentized range counts differences of average ranks.
func rankError(methods, sets int) float64 {
	k := float64(methods)
	return math.Sqrt(k*(k+1)/(6*float64(sets))) / math.Sqrt2
}

func checkNemenyi(methods, sets int) error {
	switch {
	case methods < 2:
		return fmt.Errorf("%d methods; a Nemenyi test needs 2 at least", methods)
	case methods > mostMethods:
		return fmt.Errorf("%d methods; a Nemenyi test takes %d at most", methods, mostMethods)
	case sets < 1:
		return fmt.Errorf("%d sets; a Nemenyi test needs 1 at least", sets)
	}
	return nil
}
