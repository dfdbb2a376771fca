package stats

import (
	"errors"
	"math"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// The closed form equals baycomp up to rounding.
const closedTolerance = 1e-9

type bayes struct {
	Samples     int
	CorrelatedT []struct {
		Name                       string
		A, B                       []float64
		Folds                      int
		Rope, Better, Equal, Worse float64
	} `json:"correlated_t"`
	SignedRank []struct {
		Name                              string
		A, B                              []float64
		Rope, Prior, Better, Equal, Worse float64
	} `json:"signed_rank"`
}

func readBayes(t *testing.T) bayes {
	t.Helper()
	g := goldenfile.Read[bayes](t, "bayes.json")
	if len(g.CorrelatedT) < 12 || len(g.SignedRank) < 12 || g.Samples < 100000 {
		t.Fatal("bayes.json lacks cases")
	}
	return g
}

func sumsUp(p Posterior) bool { return math.Abs(p.Better+p.Equal+p.Worse-1) < 1e-12 }

// TestGoldenBayesCorrelatedT compares with baycomp (testdata/bayes.py).
func TestGoldenBayesCorrelatedT(t *testing.T) {
	for _, c := range readBayes(t).CorrelatedT {
		t.Run(c.Name, func(t *testing.T) {
			got, err := BayesCorrelatedT(c.A, c.B, 1/float64(c.Folds-1), c.Rope)
			must(t, err)
			for _, p := range [][2]float64{{got.Better, c.Better}, {got.Equal, c.Equal}, {got.Worse, c.Worse}} {
				if math.Abs(p[0]-p[1]) > closedTolerance {
					t.Errorf("%+v, want %+v", got, c)
				}
			}
			if !sumsUp(got) {
				t.Errorf("%+v does not add up to 1", got)
			}
			back, err := BayesCorrelatedT(c.B, c.A, 1/float64(c.Folds-1), c.Rope)
			if err != nil || math.Abs(back.Better-got.Worse) > 1e-14 || math.Abs(back.Worse-got.Better) > 1e-14 {
				t.Errorf("exchanged %+v, %v; want the mirror of %+v", back, err, got)
			}
		})
	}
}

func TestBayesCorrelatedTRefuses(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{1, 2, 4}
	for want, c := range map[string]struct {
		a, b        []float64
		ratio, rope float64
	}{
		"give a difference of at least 0":           {x, y, 0.1, -0.01},
		"region of practical equivalence NaN":       {x, y, 0.1, math.NaN()},
		"region of practical equivalence +Inf":      {x, y, 0.1, math.Inf(1)},
		"test bags over training bags: -1":          {x, y, -1, 0.01},
		"pairs of 3 and 2 figures":                  {x, y[:2], 0.1, 0.01},
		"pair 0 is NaN":                             {[]float64{math.NaN(), 1}, x[:2], 0.1, 0.01},
		"no pairs to compare":                       {nil, nil, 0.1, 0.01},
		"test bags over training bags: +Inf; give ": {x, y, math.Inf(1), 0.01},
	} {
		if got, err := BayesCorrelatedT(c.a, c.b, c.ratio, c.rope); err == nil || !strings.Contains(err.Error(), want) || got != (Posterior{}) {
			t.Errorf("%+v, %v; want an error with %q", got, err, want)
		}
	}
	if _, err := BayesCorrelatedT(x[:1], y[:1], 0.1, 0.01); !errors.Is(err, ErrTooFew) {
		t.Errorf("one pair: %v", err)
	}
}

// within reports whether shares of n and m samples differ by at most five standard errors of their difference, or by
// three samples. A correct program fails in one of thousands of cases; seeds are fixed.
func within(p, q float64, n, m int) bool {
	mean := (p*float64(n) + q*float64(m)) / float64(n+m)
	se := math.Sqrt(mean * (1 - mean) * (1/float64(n) + 1/float64(m)))
	return math.Abs(p-q) <= 5*se+3/float64(min(n, m))
}

// TestGoldenBayesSignedRank compares with baycomp (testdata/bayes.py), up to Monte Carlo error.
func TestGoldenBayesSignedRank(t *testing.T) {
	g := readBayes(t)
	for _, c := range g.SignedRank {
		t.Run(c.Name, func(t *testing.T) {
			test := BayesSignedRank{Rope: c.Rope, Prior: c.Prior, Samples: 100000}
			got, err := test.Compare(c.A, c.B, 1)
			must(t, err)
			for _, p := range [][2]float64{{got.Better, c.Better}, {got.Equal, c.Equal}, {got.Worse, c.Worse}} {
				if !within(p[0], p[1], test.Samples, g.Samples) {
					t.Errorf("%+v, want %+v", got, c)
				}
			}
			if again, err := test.Compare(c.A, c.B, 1); err != nil || again != got || !sumsUp(got) {
				t.Errorf("again %+v, %v", again, err)
			}
			back, err := test.Compare(c.B, c.A, 2)
			if err != nil || !within(back.Better, got.Worse, test.Samples, test.Samples) || !within(back.Worse, got.Better, test.Samples, test.Samples) {
				t.Errorf("exchanged %+v, %v; want the mirror of %+v", back, err, got)
			}
		})
	}
}

// TestBayesSignedRankExact: with one pair that differs by more than the rope, better wins if the weight w of the
// pseudo-observation has w^2 < 1/2. w is Beta(Prior, 1), so the probability is 2^(-Prior/2).
func TestBayesSignedRankExact(t *testing.T) {
	for _, prior := range []float64{0.5, 1, 3} {
		test := BayesSignedRank{Rope: 0.01, Prior: prior, Samples: 200000}
		got, err := test.Compare([]float64{0.9}, []float64{0.8}, 3)
		if want := math.Pow(2, -prior/2); err != nil || !within(got.Better, want, test.Samples, 1e12) || got.Worse != 0 {
			t.Errorf("prior %v: %+v, %v; want %v", prior, got, err, want)
		}
	}
	test := DefaultBayesSignedRank()
	test.Prior = 0
	if got, err := test.Compare([]float64{0.9}, []float64{0.8}, 3); err != nil || got != (Posterior{Better: 1}) {
		t.Errorf("without a prior %+v, %v", got, err)
	}
	test.Rope = 0
	if got, err := test.Compare([]float64{0.9, 0.8}, []float64{0.9, 0.8}, 3); err != nil || got != (Posterior{Better: 0.5, Worse: 0.5}) {
		t.Errorf("no differences and no rope: %+v, %v", got, err)
	}
}

func TestBayesSignedRankRefuses(t *testing.T) {
	x, y := []float64{1, 2, 3}, []float64{1, 2, 4}
	good := DefaultBayesSignedRank()
	for want, c := range map[string]struct {
		change func(*BayesSignedRank)
		a, b   []float64
	}{
		"region of practical equivalence -1": {func(t *BayesSignedRank) { t.Rope = -1 }, x, y},
		"prior of -1 observations":           {func(t *BayesSignedRank) { t.Prior = -1 }, x, y},
		"prior of NaN observations":          {func(t *BayesSignedRank) { t.Prior = math.NaN() }, x, y},
		"prior of +Inf observations":         {func(t *BayesSignedRank) { t.Prior = math.Inf(1) }, x, y},
		"0 samples; give 1 to 100000000":     {func(t *BayesSignedRank) { t.Samples = 0 }, x, y},
		"200000000 samples":                  {func(t *BayesSignedRank) { t.Samples = 2e8 }, x, y},
		"pairs of 3 and 2 figures":           {nil, x, y[:2]},
		"pair 1 is 2 and NaN":                {nil, x[:2], []float64{1, math.NaN()}},
		"no pairs to compare":                {nil, nil, nil},
	} {
		test := good
		if c.change != nil {
			c.change(&test)
		}
		if got, err := test.Compare(c.a, c.b, 1); err == nil || !strings.Contains(err.Error(), want) || got != (Posterior{}) {
			t.Errorf("%+v, %v; want an error with %q", got, err, want)
		}
	}
}
