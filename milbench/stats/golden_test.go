package stats

import (
	"errors"
	"math"
	"testing"

	"synpool/internal/goldenfile"
)

// tolerance is for golden figures, relative to the larger of 1 and the figure. Both sides compute in float64 and
// differ only in the order of sums. The t interval has a wider one, because gonum inverts the distribution by
// bisection.
const (
	tolerance         = 1e-13
	intervalTolerance = 1e-9
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

type golden struct {
	Scores []struct {
		Name             string
		Labels           []int
		Scores           []float64
		AUC              *float64
		DeLongSE         *float64 `json:"delong_se"`
		AveragePrecision *float64 `json:"average_precision"`
		Accuracy         *float64
		BalancedAccuracy *float64 `json:"balanced_accuracy"`
		LogLoss          *float64 `json:"log_loss"`
	}
	Values []struct {
		Name                       string
		Values                     []float64
		Level, Mean, SD, Low, High float64
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	g := goldenfile.Read[golden](t, "golden.json")
	if len(g.Scores) < 10 || len(g.Values) < 4 {
		t.Fatalf("golden.json has only %d and %d cases", len(g.Scores), len(g.Values))
	}
	return g
}

// TestGoldenScores compares with scikit-learn, and DeLong with its O(mn) definition (testdata/golden.py). Figures
// undefined there must be errors here.
func TestGoldenScores(t *testing.T) {
	delong := func(labels []int, scores []float64) (float64, error) {
		_, se, err := DeLong(labels, scores)
		return se, err
	}
	for _, c := range readGolden(t).Scores {
		for _, f := range []struct {
			name    string
			compute func([]int, []float64) (float64, error)
			want    *float64
		}{
			{"AUC", AUC, c.AUC},
			{"DeLong", delong, c.DeLongSE},
			{"AveragePrecision", AveragePrecision, c.AveragePrecision},
			{"Accuracy", Accuracy, c.Accuracy},
			{"BalancedAccuracy", BalancedAccuracy, c.BalancedAccuracy},
			{"LogLoss", LogLoss, c.LogLoss},
		} {
			t.Run(c.Name+"/"+f.name, func(t *testing.T) {
				got, err := f.compute(c.Labels, c.Scores)
				switch {
				case f.want == nil:
					if !errors.Is(err, ErrOneClass) && !errors.Is(err, ErrTooFew) {
						t.Errorf("%v, %v; want ErrOneClass or ErrTooFew", got, err)
					}
				case err != nil:
					t.Error(err)
				case !near(got, *f.want, tolerance):
					t.Errorf("%.17g, want %.17g", got, *f.want)
				}
			})
		}
	}
}

// TestGoldenValues compares with NumPy and SciPy.
func TestGoldenValues(t *testing.T) {
	for _, c := range readGolden(t).Values {
		t.Run(c.Name, func(t *testing.T) {
			sd, err := SD(c.Values)
			must(t, err)
			mean, low, high, err := MeanInterval(c.Values, c.Level)
			must(t, err)
			if !near(sd, c.SD, tolerance) || !near(mean, c.Mean, tolerance) {
				t.Errorf("SD %.17g, mean %.17g; want %.17g, %.17g", sd, mean, c.SD, c.Mean)
			}
			if !near(low, c.Low, intervalTolerance) || !near(high, c.High, intervalTolerance) {
				t.Errorf("interval %.17g to %.17g, want %.17g to %.17g", low, high, c.Low, c.High)
			}
		})
	}
}

// TestGoldenDifference compares with the covariance matrices of DeLong et al. (testdata/difference.py).
func TestGoldenDifference(t *testing.T) {
	cases := goldenfile.Read[[]struct {
		Name           string
		Labels         []int
		A, B           [][]float64
		Difference, SE float64
	}](t, "difference.json")
	if len(cases) < 4 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		difference, se, err := DeLongDifference(c.Labels, c.A, c.B)
		if err != nil || !near(difference, c.Difference, tolerance) || !near(se, c.SE, tolerance) {
			t.Errorf("%s: %v, %v, %v, want %v, %v", c.Name, difference, se, err, c.Difference, c.SE)
		}
	}
	for name, of := range map[string]struct {
		labels []int
		a, b   [][]float64
		want   error
	}{
		"no repeat":   {[]int{0, 0, 1, 1}, nil, [][]float64{{1, 2, 3, 4}}, ErrTooFew},
		"one class":   {[]int{1, 1}, [][]float64{{1, 2}}, [][]float64{{1, 2}}, ErrOneClass},
		"one of each": {[]int{0, 1}, [][]float64{{1, 2}}, [][]float64{{1, 2}}, ErrTooFew},
	} {
		if _, _, err := DeLongDifference(of.labels, of.a, of.b); !errors.Is(err, of.want) {
			t.Errorf("%s: %v, want %v", name, err, of.want)
		}
	}
}
