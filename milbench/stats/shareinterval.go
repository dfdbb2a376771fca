package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// ShareInterval returns the exact two-sided Clopper-Pearson interval of the share k/n, at a level in (0, 1). If k is
// not whole, because ties share a place, it returns the wider interval from k rounded down to k rounded up:
//
//	low = B(α/2; k, n−k+1), high = B(1−α/2; k+1, n−k), α = 1 − level
//
// Here B is the quantile of the Beta distribution.
//
// Source: C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
// binomial", Biometrika 26 (1934).
func ShareInterval(k float64, n int, level float64) (low, high float64, err error) {
	if n < 1 || !(k >= 0 && k <= float64(n)) {
		return 0, 0, fmt.Errorf("%v of %d is not a share", k, n)
	}
	if !(level > 0 && level < 1) {
		return 0, 0, fmt.Errorf("level %v; give one between 0 and 1", level)
	}
	tail := (1 - level) / 2
	high = 1
	if down := math.Floor(k); down > 0 {
		low = distuv.Beta{Alpha: down, Beta: float64(n) - down + 1}.Quantile(tail)
	}
	if up := math.Ceil(k); up < float64(n) {
		high = distuv.Beta{Alpha: up + 1, Beta: float64(n) - up}.Quantile(1 - tail)
	}
	return low, high, nil
}
