package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactWilcoxon is the largest number of differences for an exact null distribution.
const exactWilcoxon = 50

// WilcoxonTest is the result of [Wilcoxon].
type WilcoxonTest struct {
	N            int     // pairs that differ
	Positive     float64 // sum of the ranks of pairs where a is larger
	Negative     float64 // sum of the ranks of pairs where b is larger
	P            float64 // two-sided
	Exact        bool    // whether P is exact rather than a normal approximation
	RankBiserial float64 // effect size in [-1, 1]: (Positive - Negative) / their sum, 0 if no pair differs
}

// Wilcoxon is the two-sided signed-rank test for pairs, for example two methods on the same sets. Pairs without a
// difference are dropped (SciPy's zero_method "wilcox"). The magnitudes of the others are ranked; equal ones share
// the mean of their ranks. P is exact for up to 50 pairs without ties. Otherwise
//
//	z = (|min(W+, W-) - n(n+1)/4| - 1/2) / sqrt(n(n+1)(2n+1)/24 - sum (t^3 - t) / 48)
//
// is taken as normal, where t are the sizes of groups of equal magnitude. If no pair differs, P is 1. See Demšar
// (2006), section 3.1.3. Figures that differ only by rounding errors count as different, so round them first.
func Wilcoxon(a, b []float64) (WilcoxonTest, error) {
	differences, err := paired(a, b)
	if err != nil {
		return WilcoxonTest{}, err
	}
	differences = slices.DeleteFunc(differences, func(d float64) bool { return d == 0 })
	n := float64(len(differences))
	if n == 0 {
		return WilcoxonTest{P: 1, Exact: true}, nil
	}
	magnitudes := make([]float64, len(differences))
	for i, d := range differences {
		magnitudes[i] = math.Abs(d)
	}
	t := WilcoxonTest{N: len(differences)}
	for i, r := range Ranks(magnitudes) {
		if differences[i] > 0 {
			t.Positive += r
		} else {
			t.Negative += r
		}
	}
	t.RankBiserial = (t.Positive - t.Negative) / (t.Positive + t.Negative)
	ties, smaller := tieSum(magnitudes), min(t.Positive, t.Negative)
	if ties == 0 && len(differences) <= exactWilcoxon {
		t.Exact = true
		t.P = min(1, 2*signedRankCDF(int(smaller), len(differences)))
		return t, nil
	}
	mean, variance := n*(n+1)/4, n*(n+1)*(2*n+1)/24-ties/48
	z := max(math.Abs(smaller-mean)-0.5, 0) / math.Sqrt(variance)
	t.P = min(1, 2*distuv.UnitNormal.Survival(z))
	return t, nil
}

// signedRankCDF returns the probability that the sum of a random subset of 1, ..., n is at most w. The counts are
// exact because n is at most 50.
func signedRankCDF(w, n int) float64 {
	counts := make([]float64, n*(n+1)/2+1) // number of subsets with each sum
	counts[0] = 1
	for i := 1; i <= n; i++ {
		for s := len(counts) - 1; s >= i; s-- {
			counts[s] += counts[s-i]
		}
	}
	sum := 0.0
	for _, c := range counts[:w+1] {
		sum += c
	}
	return math.Ldexp(sum, -n)
}
