package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// FriedmanTest is the result of [Friedman].
type FriedmanTest struct {
	Sets, Methods int
	Ranks         []float64 // average rank of each method, see [AverageRanks]
	ChiSquare     float64
	ChiSquareP    float64 // with Methods-1 degrees of freedom
	F             float64 // Iman and Davenport's F; +Inf if all sets rank the methods alike
	FP            float64 // with Methods-1 and (Methods-1)(Sets-1) degrees of freedom
}

// Friedman tests whether methods differ over several sets. values has one row per set with the figure of each method;
// larger is better. With N sets, k methods and average ranks R_j,
//
//	chi^2 = 12 N / (k (k+1)) (sum_j R_j^2 - k (k+1)^2 / 4) / (1 - sum (t^3 - t) / (N (k^3 - k)))
//	F = (N-1) chi^2 / (N (k-1) - chi^2)
//
// where t are the sizes of groups of equal figures within a set. The F of Iman and Davenport is less conservative. It
// needs two sets, and a set in which two methods differ. See Demšar, "Statistical comparisons of classifiers over
// multiple data sets", Journal of Machine Learning Research 7 (2006), section 3.2.2.
func Friedman(values [][]float64) (FriedmanTest, error) {
	ranks, err := AverageRanks(values)
	if err != nil {
		return FriedmanTest{}, err
	}
	if len(values) < 2 {
		return FriedmanTest{}, fmt.Errorf("%w: a Friedman test over %d set", ErrTooFew, len(values))
	}
	n, k := float64(len(values)), float64(len(ranks))
	sum, ties := 0.0, 0.0
	for _, r := range ranks {
		sum += (r - (k+1)/2) * (r - (k+1)/2) // adds up to sum R^2 - k (k+1)^2 / 4
	}
	for _, row := range values {
		ties += tieSum(row)
	}
	untied := 1 - ties/(n*(k*k*k-k))
	if untied <= 0 {
		return FriedmanTest{}, fmt.Errorf("all %d methods have the same figure on each of %d sets; there is nothing to test", len(ranks), len(values))
	}
	t := FriedmanTest{Sets: len(values), Methods: len(ranks), Ranks: ranks}
	most := n * (k - 1) // largest value of the statistic
	t.ChiSquare = min(12*n/(k*(k+1))*sum/untied, most)
	t.ChiSquareP = distuv.ChiSquared{K: k - 1}.Survival(t.ChiSquare)
	if most-t.ChiSquare <= 1e-12*most {
		t.F = math.Inf(1)
		return t, nil
	}
	t.F = (n - 1) * t.ChiSquare / (most - t.ChiSquare)
	// Upper tail of F with d1 and d2 degrees of freedom, as a tail of a beta distribution to avoid cancellation.
	d1, d2 := k-1, (k-1)*(n-1)
	t.FP = mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*t.F))
	return t, nil
}

// tieSum returns the sum of t^3 - t over all groups of t equal values.
func tieSum(values []float64) float64 {
	sizes := make(map[float64]float64, len(values))
	for _, v := range values {
		sizes[v]++
	}
	sum := 0.0
	for _, t := range sizes { // whole numbers, so the order does not matter
		sum += t*t*t - t
	}
	return sum
}
