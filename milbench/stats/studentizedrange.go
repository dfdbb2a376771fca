package stats

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// studentizedRange returns the probability that the range of k standard normal numbers is at most q. This is the
// studentized range distribution with infinitely many degrees of freedom:
//
//	P(q) = k * integral of phi(z) (Phi(z) - Phi(z-q))^(k-1) dz
//
// where z is the largest number. Gauss-Legendre quadrature covers 9 standard deviations on each side, which leaves
// out less than 1e-16 k.
func studentizedRange(q float64, k int) float64 {
	if q <= 0 {
		return 0
	}
	normal := distuv.UnitNormal
	density := func(z float64) float64 {
		// Subtract the tails on the side where both are small.
		between := normal.CDF(z) - normal.CDF(z-q)
		if z-q > 0 {
			between = normal.Survival(z-q) - normal.Survival(z)
		}
		return float64(k) * normal.Prob(z) * math.Pow(between, float64(k-1))
	}
	return min(quad.Fixed(density, -9, 9, 200, nil, 0), 1)
}

// studentizedRangeQuantile returns the q in (0, 100) at which [studentizedRange] is p in (0, 1), by bisection to the
// last bit.
func studentizedRangeQuantile(p float64, k int) float64 {
	low, high := 0.0, 100.0
	for {
		middle := (low + high) / 2
		if middle == low || middle == high {
			return middle
		}
		if studentizedRange(middle, k) < p {
			low = middle
		} else {
			high = middle
		}
	}
}
