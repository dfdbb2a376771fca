package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// pTolerance is for p-values, relative: both sides evaluate a distribution in float64.
const pTolerance = 1e-10

func relatively(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

type comparisons struct {
	Friedman []struct {
		Name       string
		Values     [][]float64
		Ranks      []float64
		ChiSquare  float64 `json:"chi_square"`
		ChiSquareP float64 `json:"chi_square_p"`
		F          float64
		FP         float64 `json:"f_p"`
	}
	Range []struct {
		Methods  int
		Alpha, Q float64
	}
	Wilcoxon []struct {
		Name               string
		A, B               []float64
		N                  int
		Positive, Negative float64
		Exact              bool
		P                  float64
	}
	Holm []struct{ P, Adjusted []float64 }
	T    []struct {
		Name                                   string
		A, B                                   []float64
		Ratio, Difference, SE, T, P, Low, High float64
	}
}

func readComparisons(t *testing.T) comparisons {
	t.Helper()
	c := goldenfile.Read[comparisons](t, "comparisons.json")
	if len(c.Friedman) < 8 || len(c.Range) < 18 || len(c.Wilcoxon) < 10 || len(c.Holm) < 5 || len(c.T) < 6 {
		t.Fatal("comparisons.json lacks cases")
	}
	return c
}

// TestGoldenFriedman compares with SciPy.
func TestGoldenFriedman(t *testing.T) {
	for _, c := range readComparisons(t).Friedman {
		t.Run(c.Name, func(t *testing.T) {
			got, err := Friedman(c.Values)
			must(t, err)
			for j, r := range c.Ranks {
				if !near(got.Ranks[j], r, tolerance) {
					t.Errorf("ranks %v, want %v", got.Ranks, c.Ranks)
					break
				}
			}
			if got.Sets != len(c.Values) || got.Methods != len(c.Ranks) || !near(got.ChiSquare, c.ChiSquare, 1e-12) || !near(got.F, c.F, 1e-11) {
				t.Errorf("%+v, want chi square %v and F %v", got, c.ChiSquare, c.F)
			}
			if !relatively(got.ChiSquareP, c.ChiSquareP, pTolerance) || !relatively(got.FP, c.FP, pTolerance) {
				t.Errorf("p %v and %v, want %v and %v", got.ChiSquareP, got.FP, c.ChiSquareP, c.FP)
			}
		})
	}
}

// TestGoldenRange compares quantiles with SciPy.
func TestGoldenRange(t *testing.T) {
	for _, c := range readComparisons(t).Range {
		got := studentizedRangeQuantile(1-c.Alpha, c.Methods)
		if !near(got, c.Q, 1e-8) {
			t.Errorf("quantile of %d at %v is %.12g, want %.12g", c.Methods, c.Alpha, got, c.Q)
		}
		if p := studentizedRange(got, c.Methods); math.Abs(p-(1-c.Alpha)) > 1e-14 {
			t.Errorf("%d at %v: the probability of the quantile is off by %g", c.Methods, c.Alpha, p-(1-c.Alpha))
		}
	}
}

// TestGoldenWilcoxon compares with SciPy after removing zeros.
func TestGoldenWilcoxon(t *testing.T) {
	for _, c := range readComparisons(t).Wilcoxon {
		got, err := Wilcoxon(c.A, c.B)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if got.N != c.N || got.Exact != c.Exact || got.Positive != c.Positive || got.Negative != c.Negative || !relatively(got.P, c.P, pTolerance) {
			t.Errorf("%s: %+v, want n %d, sums %v and %v, exact %v, p %v", c.Name, got, c.N, c.Positive, c.Negative, c.Exact, c.P)
		}
		back, err := Wilcoxon(c.B, c.A)
		if err != nil || back.P != got.P || back.Positive != got.Negative || back.RankBiserial != -got.RankBiserial {
			t.Errorf("%s: the other way round %+v, %v", c.Name, back, err)
		}
	}
}

func TestWilcoxonWithoutDifference(t *testing.T) {
	got, err := Wilcoxon([]float64{0.5, 0.7}, []float64{0.5, 0.7})
	if err != nil || got != (WilcoxonTest{P: 1, Exact: true}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestGoldenHolm(t *testing.T) {
	for _, c := range readComparisons(t).Holm {
		got, err := Holm(c.P)
		must(t, err)
		for i := range got {
			if !near(got[i], c.Adjusted[i], tolerance) {
				t.Errorf("%v adjusted is %v, want %v", c.P, got, c.Adjusted)
				break
			}
		}
	}
}

// TestGoldenT compares with the definition and, without correction, with SciPy's paired t-test.
func TestGoldenT(t *testing.T) {
	for _, c := range readComparisons(t).T {
		got, err := CorrectedT(c.A, c.B, c.Ratio)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if got.Freedom != len(c.A)-1 || !near(got.Difference, c.Difference, tolerance) || !near(got.SE, c.SE, tolerance) || !near(got.T, c.T, 1e-11) || !relatively(got.P, c.P, 1e-9) {
			t.Errorf("%s: %+v, want %+v", c.Name, got, c)
		}
		low, high, err := got.Interval(0.95)
		if err != nil || !near(low, c.Low, intervalTolerance) || !near(high, c.High, intervalTolerance) {
			t.Errorf("%s: interval %v to %v (%v), want %v to %v", c.Name, low, high, err, c.Low, c.High)
		}
	}
}

// Ranks do not depend on the order of methods or on increasing transformations, and sum to k(k+1)/2.
func TestAverageRanksLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for range 100 {
		n, k := 1+rng.IntN(8), 2+rng.IntN(8)
		values := make([][]float64, n)
		for i := range values {
			for range k {
				values[i] = append(values[i], math.Round(6*rng.Float64())/6)
			}
		}
		ranks, err := AverageRanks(values)
		must(t, err)
		sum := 0.0
		for _, r := range ranks {
			sum += r
		}
		if !near(sum, float64(k*(k+1))/2, tolerance) {
			t.Fatalf("ranks %v of %v sum to %v", ranks, values, sum)
		}
		order := rng.Perm(k)
		other := make([][]float64, n)
		for i := range values {
			scale := 1 + rng.Float64()
			for _, j := range order {
				other[i] = append(other[i], math.Exp(scale*values[i][j]))
			}
		}
		moved, err := AverageRanks(other)
		must(t, err)
		for at, j := range order {
			if moved[at] != ranks[j] {
				t.Fatalf("ranks %v of %v, %v of %v", ranks, values, moved, other)
			}
		}
	}
	better, err := AverageRanks([][]float64{{0.9, 0.5, 0.7}})
	if err != nil || !slices.Equal(better, []float64{1, 3, 2}) {
		t.Errorf("%v, %v", better, err)
	}
}

// If all sets rank the methods alike, chi square is at its maximum.
func TestFriedmanAgreement(t *testing.T) {
	got, err := Friedman([][]float64{{0.9, 0.8, 0.7}, {0.6, 0.5, 0.2}, {0.9, 0.7, 0.1}})
	if err != nil || got.ChiSquare != 6 || !math.IsInf(got.F, 1) || got.FP != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestComparisonsRefuse(t *testing.T) {
	nan, infinite := math.NaN(), math.Inf(1)
	err2 := func(_ any, err error) error { return err }
	tOf := func(a, b []float64, ratio float64) error { _, err := CorrectedT(a, b, ratio); return err }
	interval := func(t CorrectedTTest, level float64) error { _, _, err := t.Interval(level); return err }
	for want, err := range map[string]error{
		"no sets to rank methods on":                      err2(AverageRanks(nil)),
		"1 methods; ranks need at least 2":                err2(AverageRanks([][]float64{{1}})),
		"set 1 has figures of 1 methods, set 0 of 2":      err2(Friedman([][]float64{{1, 2}, {1}})),
		"the figure of method 1 on set 0 is NaN":          err2(Friedman([][]float64{{1, nan}})),
		"a Friedman test over 1 set":                      err2(Friedman([][]float64{{1, 2}})),
		"all 2 methods have the same figure on each of 3": err2(Friedman([][]float64{{1, 1}, {2, 2}, {3, 3}})),
		"1 methods; a Nemenyi test needs at least 2":      err2(NemenyiDifference(1, 5, 0.05)),
		"1001 methods; a Nemenyi test takes at most 1000": err2(NemenyiDifference(1001, 5, 0.05)),
		"0 sets; a Nemenyi test needs at least 1":         err2(NemenyiDifference(2, 0, 0.05)),
		"significance level 1 is outside (0,1)":           err2(NemenyiDifference(3, 5, 1)),
		"significance level NaN":                          err2(NemenyiDifference(3, 5, nan)),
		"no p-values to adjust":                           err2(Holm(nil)),
		"the p-value at 1 is 1.5, outside [0,1]":          err2(Holm([]float64{0, 1.5})),
		"the p-value at 0 is NaN":                         err2(Holm([]float64{nan})),
		"no pairs to compare":                             err2(Wilcoxon(nil, nil)),
		"pairs of 1 and 2 figures":                        err2(Wilcoxon([]float64{1}, []float64{1, 2})),
		"pair 0 is NaN and 1; figures are finite":         err2(Wilcoxon([]float64{nan}, []float64{1})),
		"pair 0 is +Inf and +Inf":                         err2(Wilcoxon([]float64{infinite}, []float64{infinite})),
		"pairs of 2 and 1 figures":                        tOf([]float64{1, 2}, []float64{1}, 0),
		"pair 1 is 2 and NaN":                             tOf([]float64{1, 2}, []float64{1, nan}, 0),
		"test bags over training bags: -1":                tOf([]float64{1, 2}, []float64{1, 3}, -1),
		"test bags over training bags: NaN":               tOf([]float64{1, 2}, []float64{1, 3}, nan),
		"confidence level 1 is outside (0,1)":             interval(CorrectedTTest{Freedom: 3}, 1),
		"0 degrees of freedom":                            interval(CorrectedTTest{}, 0.95),
	} {
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := tOf([]float64{1}, []float64{2}, 0); !errors.Is(err, ErrTooFew) {
		t.Errorf("one pair: %v", err)
	}
	if err := tOf([]float64{1, 2, 3}, []float64{0, 1, 2}, 0.1); !errors.Is(err, ErrSameDifference) {
		t.Errorf("the same differences: %v", err)
	}
	if err := tOf([]float64{0.9, 0.8}, []float64{0.8, 0.7}, 0); !errors.Is(err, ErrSameDifference) {
		t.Errorf("the same differences except for rounding: %v", err)
	}
	if err := tOf([]float64{0.9, 0.8}, []float64{0.8, 0.7 + 1e-9}, 0); err != nil {
		t.Errorf("differences that are hardly the same: %v", err)
	}
}

// Adjusted p-values are at least the plain ones, in the same order, and at most m times as large. They do not depend
// on the order of the input.
func TestHolmLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 7))
	for range 200 {
		p := make([]float64, 1+rng.IntN(9))
		for i := range p {
			p[i] = math.Round(20*rng.Float64()*rng.Float64()) / 20
		}
		adjusted, err := Holm(p)
		must(t, err)
		order := rng.Perm(len(p))
		moved := make([]float64, len(p))
		for at, i := range order {
			moved[at] = p[i]
		}
		again, err := Holm(moved)
		must(t, err)
		for at, i := range order {
			if again[at] != adjusted[i] || adjusted[i] < p[i] || adjusted[i] > min(1, float64(len(p))*p[i]) {
				t.Fatalf("%v adjusted is %v, in another order %v", p, adjusted, again)
			}
			for j := range p {
				if p[i] <= p[j] && adjusted[i] > adjusted[j] {
					t.Fatalf("%v adjusted is %v", p, adjusted)
				}
			}
		}
	}
}
