package judge

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactWilcoxon is the largest number of differences of which the null distribution is counted out.
const exactWilcoxon = 50

// WilcoxonTest is the outcome of [Wilcoxon].
type WilcoxonTest struct {
	N            int     // pairs that differ
	Positive     float64 // the sum of the ranks of pairs in which a is larger
	Negative     float64 // of those in which b is
	P            float64 // two-sided
	Exact        bool    // whether P is exact, not that of a normal approximation
	RankBiserial float64 // (Positive - Negative) / their sum, the size of the effect in [-1, 1]; 0 if no pair differs
}

// Wilcoxon is the two-sided signed-rank test of pairs, say of two methods on the same sets. Pairs without a difference
// are left out (SciPy's zero_method "wilcox"); the magnitudes of the others are ranked, equal ones with the mean of their
// ranks. Up to 50 of them without ties P is exact; otherwise
//
//	z = (|min(W+, W-) - n(n+1)/4| - 1/2) / sqrt(n(n+1)(2n+1)/24 - sum (t^3 - t) / 48)
//
// is taken as normal, with t the sizes of groups of equal magnitude. Where no pair differs P is 1. Demšar (2006), section
// 3.1.3. Differences of figures that are equal but for rounding count as different; round the figures before.
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
	for i, r := range midRanks(magnitudes) {
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

// signedRankCDF returns the probability that the sum of a random subset of 1, ..., n is at most w; n is at most 50, so
// that the counts are exact.
func signedRankCDF(w, n int) float64 {
	counts := make([]float64, n*(n+1)/2+1) // subsets of each sum
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
