package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// targetsGolden is the content of testdata/targets.json; a figure that is undefined there is nil.
type targetsGolden struct {
	Classes []struct {
		Name             string
		Labels           []int
		Logits           [][]float64
		Predicted        []int
		Confusion        [][]int
		Accuracy         float64
		LogLoss          float64  `json:"log_loss"`
		BalancedAccuracy *float64 `json:"balanced_accuracy"`
		AUC, Kappa       *float64
	}
	Numbers []struct {
		Name                 string
		Targets, Predictions []float64
		MAE, RMSE            float64
		R2, Spearman         *float64
	}
	Survival []struct {
		Name           string
		Times, Risks   []float64
		Events         []bool
		TrainTimes     []float64 `json:"train_times"`
		TrainEvents    []bool    `json:"train_events"`
		Concordance    float64
		KMTimes        []float64 `json:"km_times"`
		KM             []float64
		CensoringTimes []float64 `json:"censoring_times"`
		Censoring      []float64
		At, AUCs       []float64
		MeanAUC        float64 `json:"mean_auc"`
		Curves         [][]float64
		Briers         []float64
		IBS            float64
		Groups         []int
		Chi2, P        float64
		Degrees        int
	}
	Calibration []struct {
		Name          string
		Labels        []int
		Probabilities []float64
		Bins          int
		Brier         float64
		Uniform       struct {
			N                     []int
			Probability, Positive []float64
			ECE                   float64
		}
	}
}

func readTargets(t *testing.T) targetsGolden {
	t.Helper()
	g := goldenfile.Read[targetsGolden](t, "targets.json")
	if len(g.Classes) < 9 || len(g.Numbers) < 9 || len(g.Survival) < 9 || len(g.Calibration) < 5 {
		t.Fatalf("targets.json has only %d, %d, %d and %d cases", len(g.Classes), len(g.Numbers), len(g.Survival), len(g.Calibration))
	}
	return g
}

// figure is a value to compare with a golden one. Without a golden value, err is expected.
type figure struct {
	name      string
	got       float64
	err       error
	want      *float64
	undefined error
}

func (f figure) check(t *testing.T) {
	t.Helper()
	switch {
	case f.want == nil:
		if !errors.Is(f.err, f.undefined) {
			t.Errorf("%s: %v, %v; want %v", f.name, f.got, f.err, f.undefined)
		}
	case f.err != nil:
		t.Errorf("%s: %v", f.name, f.err)
	case !near(f.got, *f.want, tolerance):
		t.Errorf("%s: %.17g, want %.17g", f.name, f.got, *f.want)
	}
}

// refuses checks that an error contains want, and that all values with it are zero.
func refuses(t *testing.T, name, want string, err error, values ...float64) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
	for _, v := range values {
		if v != 0 {
			t.Errorf("%s: %v comes with an error", name, v)
		}
	}
}

// permuted returns values in the order of perm.
func permuted[T any](values []T, perm []int) []T {
	out := make([]T, len(values))
	for i, p := range perm {
		out[i] = values[p]
	}
	return out
}

// mapped applies f to every value.
func mapped(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// increasing has order-preserving functions that keep values 1/4 apart distinct, within -10 and 10.
var increasing = map[string]func(float64) float64{
	"exp": math.Exp, "cube": func(x float64) float64 { return x * x * x }, "affine": func(x float64) float64 { return 2*x - 7 },
}

// quarters returns n normal numbers, rounded to quarters so that some are equal.
func quarters(rng *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Round(4*rng.NormFloat64()) / 4
	}
	return out
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
