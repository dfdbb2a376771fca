package stats

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// SignTest returns the exact two-sided p-value for numbers of wins and losses, if both have probability 1/2. It is
// twice the smaller tail of the binomial distribution, and at most 1.
func SignTest(wins, losses int) (p float64, err error) {
	switch {
	case wins < 0 || losses < 0:
		return 0, fmt.Errorf("%d wins and %d losses; numbers from 0 are needed", wins, losses)
	case wins == losses:
		return 1, nil
	}
	return min(1, 2*distuv.Binomial{N: float64(wins + losses), P: 0.5}.CDF(float64(min(wins, losses)))), nil
}
