package stats

import (
	"errors"
	"fmt"
	"slices"
)

// BenjaminiHochberg adjusts the p-values of several tests and returns them in the same order. If tests with an adjusted
// p-value of at most q count as discoveries, at most a share q of the discoveries is expected to be false (the false
// discovery rate). This holds for p-values that are independent or positively dependent. The i-th (from 1) of m p-values
// in ascending order becomes
//
//	min over j >= i of min(1, m/j p_j)
//
// Benjamini and Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57 (1995);
// Benjamini and Yekutieli, Annals of Statistics 29 (2001), for positive dependence.
func BenjaminiHochberg(p []float64) ([]float64, error) {
	if len(p) == 0 {
		return nil, errors.New("no p-values to adjust")
	}
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("the p-value at %d is %v, outside [0,1]", i, v)
		}
	}
	adjusted, least := make([]float64, len(p)), 1.0
	for j, i := range slices.Backward(ascending(p)) {
		least = min(least, float64(len(p))/float64(j+1)*p[i])
		adjusted[i] = least
	}
	return adjusted, nil
}
