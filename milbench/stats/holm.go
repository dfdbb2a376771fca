package stats

import (
	"errors"
	"fmt"
)

// Holm adjusts the p-values of several tests and returns them in the same order. If tests with an adjusted p-value of
// at most alpha count as significant, the probability of any false positive is at most alpha. The i-th (from 1) of m
// p-values in ascending order becomes
//
//	max over j <= i of min(1, (m-j+1) p_j)
//
// Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
func Holm(p []float64) ([]float64, error) {
	if len(p) == 0 {
		return nil, errors.New("no p-values to adjust")
	}
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("the p-value at %d is %v, outside [0,1]", i, v)
		}
	}
	adjusted := make([]float64, len(p))
	largest := 0.0
	for j, i := range ascending(p) {
		largest = max(largest, min(1, float64(len(p)-j)*p[i]))
		adjusted[i] = largest
	}
	return adjusted, nil
}
