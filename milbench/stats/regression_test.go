package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// TestGoldenNumbers compares with scikit-learn and SciPy (testdata/targets.py).
func TestGoldenNumbers(t *testing.T) {
	for _, c := range readTargets(t).Numbers {
		t.Run(c.Name, func(t *testing.T) {
			mae, maeErr := MAE(c.Targets, c.Predictions)
			rmse, rmseErr := RMSE(c.Targets, c.Predictions)
			r2, r2Err := R2(c.Targets, c.Predictions)
			spearman, spearmanErr := Spearman(c.Targets, c.Predictions)
			for _, f := range []figure{
				{"MAE", mae, maeErr, &c.MAE, nil},
				{"RMSE", rmse, rmseErr, &c.RMSE, nil},
				{"R2", r2, r2Err, c.R2, ErrAllEqual},
				{"Spearman", spearman, spearmanErr, c.Spearman, ErrAllEqual},
			} {
				f.check(t)
			}
		})
	}
}

// ofNumbers lists the figures for two columns of numbers.
var ofNumbers = map[string]func(x, y []float64) (float64, error){
	"MAE": MAE, "RMSE": RMSE, "R2": R2, "Spearman": Spearman,
}

func TestNumberLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		y := quarters(rng, 5+rng.IntN(40))
		p := quarters(rng, len(y))
		y[0], y[1], p[0], p[1] = 0, 1, 0, 1 // not all equal
		of := func(name string, x, y []float64) float64 {
			got, err := ofNumbers[name](x, y)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return got
		}
		same := func(name, law string, got, want float64) {
			if !near(got, want, 1e-12) {
				t.Errorf("%s, %s: %v, want %v", name, law, got, want)
			}
		}
		perm := rng.Perm(len(y))
		for name := range ofNumbers {
			same(name, "another order", of(name, permuted(y, perm), permuted(p, perm)), of(name, y, p))
		}
		spearman := of("Spearman", y, p)
		for change, f := range increasing {
			if got := of("Spearman", mapped(y, f), p); got != spearman {
				t.Errorf("Spearman %v became %v under %s", spearman, got, change)
			}
		}
		negated := mapped(p, func(x float64) float64 { return -x })
		scaled := func(x float64) float64 { return 3*x + 5 }
		same("Spearman", "negated", of("Spearman", y, negated), -spearman)
		same("Spearman", "exchanged", of("Spearman", p, y), spearman)
		same("R2", "scaled", of("R2", mapped(y, scaled), mapped(p, scaled)), of("R2", y, p))
		same("RMSE", "scaled", of("RMSE", mapped(y, scaled), mapped(p, scaled)), 3*of("RMSE", y, p))
		same("MAE", "scaled", of("MAE", mapped(y, scaled), mapped(p, scaled)), 3*of("MAE", y, p))
		if of("RMSE", y, p) < of("MAE", y, p) || of("R2", y, y) != 1 || of("RMSE", y, y) != 0 {
			t.Errorf("RMSE %v, MAE %v, R2 of exact predictions %v", of("RMSE", y, p), of("MAE", y, p), of("R2", y, y))
		}
	}
}

// TestNumbersFar checks that numbers with squares that overflow or vanish never give NaN.
func TestNumbersFar(t *testing.T) {
	for name, f := range ofNumbers {
		for _, size := range []float64{1e-320, 1e-200, 1e160, 1.7e308} {
			got, err := f([]float64{size, 0, -size, size}, []float64{-size, size, size, 0})
			if math.IsNaN(got) || err != nil && got != 0 {
				t.Errorf("%s of numbers of size %v: %v, %v", name, size, got, err)
			}
		}
	}
}

func TestNumberRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, name := range []string{"MAE", "RMSE", "R2"} {
		for _, test := range []struct {
			targets, predictions []float64
			want                 string
		}{
			{[]float64{1, 2}, []float64{1}, "2 targets but 1 predictions"},
			{nil, nil, "no targets"},
			{[]float64{1, nan}, []float64{1, 2}, "target NaN and prediction 2 at 1"},
			{[]float64{1, 2}, []float64{1, inf}, "target 2 and prediction +Inf at 1"},
		} {
			got, err := ofNumbers[name](test.targets, test.predictions)
			refuses(t, name, test.want, err, got)
		}
	}
	got, err := Spearman([]float64{1, 2}, []float64{1})
	refuses(t, "Spearman", "2 and 1 values make no pairs", err, got)
	got, err = Spearman([]float64{1, 2}, []float64{1, nan})
	refuses(t, "Spearman", "pair 1 holds NaN", err, got)
	for _, x := range [][]float64{nil, {1}, {2, 2, 2}} {
		y := make([]float64, len(x))
		for i := range y {
			y[i] = float64(i)
		}
		for _, of := range [][2][]float64{{x, y}, {y, x}} {
			if got, err := Spearman(of[0], of[1]); !errors.Is(err, ErrAllEqual) || got != 0 {
				t.Errorf("Spearman of %v: %v, %v, want ErrAllEqual", of, got, err)
			}
		}
	}
	if got, err := Spearman([]float64{1, 2, 3}, []float64{-inf, 0, inf}); err != nil || got != 1 {
		t.Errorf("Spearman of infinite values: %v, %v, want 1", got, err)
	}
}
