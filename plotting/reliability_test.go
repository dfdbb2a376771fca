package plotting

import (
	"math"
	"testing"
)

// reliable returns two curves of ten bins: one overconfident and one calibrated.
func reliable() []ReliabilityCurve {
	sure, fair := ReliabilityCurve{Name: "before (ECE 0.12)"}, ReliabilityCurve{Name: "after, cross-fitted (ECE 0.05)"}
	for i, n := range []int{41, 12, 7, 3, 2, 2, 4, 6, 13, 34} {
		low, high := float64(i)/10, float64(i+1)/10
		p := (low + high) / 2
		k := math.Round(float64(n) * (0.25 + 0.5*p))
		sure.Bins = append(sure.Bins, ReliabilityBin{low, high, n, p, k / float64(n)})
		if i == 0 || i == 9 {
			continue
		}
		m := 8 + i%3*5
		k = math.Round(float64(m) * (p + 0.06*math.Cos(3*float64(i))))
		fair.Bins = append(fair.Bins, ReliabilityBin{low, high, m, p + 0.02, k / float64(m)})
	}
	return []ReliabilityCurve{sure, fair}
}

func TestReliability(t *testing.T) {
	golden(t, "reliability.svg")(Reliability("Held-out bags of musk1, platt", "Share of positives", reliable()))
	fits(t, "many")(Reliability(long, "Share of bags whose class is right", append(reliable(),
		ReliabilityCurve{long, []ReliabilityBin{{0.5, 0.5, 100_000, 0.5, 1}}}, ReliabilityCurve{"edges", []ReliabilityBin{{0, 0, 1, 0, 1}, {1, 1, 1, 1, 0}}})))
	bins := func(all ...ReliabilityBin) []ReliabilityCurve { return []ReliabilityCurve{{"a", all}} }
	for want, curves := range map[string][]ReliabilityCurve{
		"there are no curves":     nil,
		"a: there are no bins":    bins(),
		"bin 1 has 0 bags":        bins(ReliabilityBin{0, 1, 0, 0.5, 0.5}),
		"no probabilities in":     bins(ReliabilityBin{0.5, 0.4, 1, 0.5, 0.5}),
		"both are 0 to 1":         bins(ReliabilityBin{0, 1, 1, 0.5, math.NaN()}),
		"probability 1.5 and the": bins(ReliabilityBin{0, 1, 1, 1.5, 0.5}),
		"bin 2 has a smaller":     bins(ReliabilityBin{0, 1, 1, 0.6, 0.5}, ReliabilityBin{0, 1, 1, 0.5, 0.5}),
		`"a" occurs twice`:        append(bins(ReliabilityBin{0, 1, 1, 0.5, 0.5}), bins(ReliabilityBin{0, 1, 1, 0.5, 0.5})...),
		"draw at most 4":          make([]ReliabilityCurve, 5),
	} {
		refused(t, want)(Reliability("", "Share", curves))
	}
	refused(t, "drawing a reliability diagram: the vertical axis needs a name")(Reliability("", "", reliable()))
}

// TestWilson compares with statsmodels.stats.proportion.proportion_confint(k, n, method="wilson").
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 1, 0, 0.7934506856227626}, {1, 1, 0.20654931437723742, 1}, {3, 10, 0.10779126740630093, 0.6032218525388546},
		{50, 92, 0.44199785570563255, 0.6414733278347482},
	} {
		low, high := wilson(float64(c.k)/float64(c.n), c.n)
		if math.Abs(low-c.low) > 1e-12 || math.Abs(high-c.high) > 1e-12 {
			t.Errorf("%d of %d: %.16g to %.16g, want %v to %v", c.k, c.n, low, high, c.low, c.high)
		}
	}
}
