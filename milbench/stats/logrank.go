package stats

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// LogRankTest is the result of [LogRank].
type LogRankTest struct {
	Groups    []int     // labels of the groups, increasing
	Observed  []int     // events in each group
	Expected  []float64 // expected events in each group if all groups had the same hazard
	ChiSquare float64
	Degrees   int
	P         float64 // with Degrees degrees of freedom
}

// LogRank tests whether two or more groups of bags have the same survival. groups has the group of each bag, which
// may be any number. At every time u with d events among n bags at risk, n_g of them in group g, group g expects
// d n_g / n events. With observed O and expected E summed over the times,
//
//	χ² = (O − E)' V⁻¹ (O − E), V_gh = sum_u d (n − d) / (n − 1) × n_g/n ([g = h] − n_h/n)
//
// over all groups except one. A group with nobody at risk at the first event adds no degree of freedom (as in R's
// survdiff).
//
// Errors: [ErrNoEvents] without an event; [ErrOneGroup] with fewer than two groups, or only one at risk at the first
// event; [ErrNoPairs] if all bags at risk then have the event at once.
//
// Source: N. Mantel, "Evaluation of survival data and two new rank order statistics arising in its consideration",
// Cancer Chemotherapy Reports 50 (1966).
func LogRank(times []float64, events []bool, groups []int) (LogRankTest, error) {
	if err := checkSurvival(times, events); err != nil {
		return LogRankTest{}, err
	}
	if len(groups) != len(times) {
		return LogRankTest{}, fmt.Errorf("%d times but %d groups", len(times), len(groups))
	}
	labels := slices.Compact(slices.Sorted(slices.Values(groups)))
	if len(labels) < 2 {
		return LogRankTest{}, fmt.Errorf("%w: all %d bags are of group %d", ErrOneGroup, len(times), labels[0])
	}
	if countEvents(events) == 0 {
		return LogRankTest{}, fmt.Errorf("%w: all %d bags are censored", ErrNoEvents, len(times))
	}
	test := LogRankTest{Groups: labels, Observed: make([]int, len(labels)), Expected: make([]float64, len(labels))}
	order := ascending(times)
	slices.Reverse(order)
	atRisk := make([]float64, len(labels))
	covariance := mat.NewSymDense(len(labels), nil)
	for i := 0; i < len(order); {
		j, seen := i, 0.0
		for ; j < len(order) && times[order[j]] == times[order[i]]; j++ {
			g, _ := slices.BinarySearch(labels, groups[order[j]])
			atRisk[g]++
			if events[order[j]] {
				test.Observed[g]++
				seen++
			}
		}
		i = j
		if seen == 0 {
			continue
		}
		n := float64(i)
		for g, r := range atRisk {
			test.Expected[g] += seen * r / n
			if n == 1 {
				continue // a single bag has no variance
			}
			share := seen * (n - seen) / (n - 1) * r / n
			covariance.SetSym(g, g, covariance.At(g, g)+share)
			for h, s := range atRisk[:g+1] {
				covariance.SetSym(g, h, covariance.At(g, h)-share*s/n)
			}
		}
	}
	var kept []int // groups at risk at the first event
	for g, e := range test.Expected {
		if e > 0 {
			kept = append(kept, g)
		}
	}
	test.Degrees = len(kept) - 1
	if test.Degrees == 0 {
		return LogRankTest{}, fmt.Errorf("%w: at the first event only group %d is at risk", ErrOneGroup, labels[kept[0]])
	}
	v, apart := mat.NewSymDense(test.Degrees, nil), mat.NewVecDense(test.Degrees, nil)
	varied := false
	for a, g := range kept[:test.Degrees] {
		apart.SetVec(a, float64(test.Observed[g])-test.Expected[g])
		for b, h := range kept[:a+1] {
			v.SetSym(a, b, covariance.At(g, h))
		}
		varied = varied || v.At(a, a) > 0
	}
	if !varied {
		return LogRankTest{}, fmt.Errorf("%w: all that are at risk at the first event have it", ErrNoPairs)
	}
	var factors mat.Cholesky
	var solved mat.VecDense
	if !factors.Factorize(v) {
		return LogRankTest{}, errors.New("the covariance of the groups is singular")
	}
	if err := factors.SolveVecTo(&solved, apart); err != nil {
		return LogRankTest{}, fmt.Errorf("the covariance of the groups: %w", err)
	}
	test.ChiSquare = max(0, mat.Dot(apart, &solved))
	test.P = distuv.ChiSquared{K: float64(test.Degrees)}.Survival(test.ChiSquare)
	return test, nil
}
