package stats

import (
	"errors"
	"fmt"
	"math"
)

// paired returns the differences of a and b, which must be finite.
func paired(a, b []float64) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("pairs of %d and %d figures", len(a), len(b))
	}
	if len(a) == 0 {
		return nil, errors.New("no pairs to compare")
	}
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
		if math.IsNaN(differences[i]) || math.IsInf(differences[i], 0) {
			return nil, fmt.Errorf("pair %d is %v and %v; figures are finite", i, a[i], b[i])
		}
	}
	return differences, nil
}
