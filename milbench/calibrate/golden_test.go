package calibrate

import (
	"math"
	"testing"

	"synpool/internal/goldenfile"
)

// Tolerances of golden values, relative to the larger of 1 and the value.
const (
	// exact: both sides compute in float64, with sums in a different order.
	exact = 1e-12
	// maximum: both sides maximise the likelihood to the last digits, and its curvature costs some of them.
	maximum = 1e-9
	// bySklearn: its L-BFGS stops when a derivative is below 1e-6 or the loss moves by less than 64 ulp.
	bySklearn = 1e-4
	// byNetcal: it optimises in float32.
	byNetcal = 1e-3
)

func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*max(1, math.Abs(want))
}

type goldenCase struct {
	Name    string
	Classes int
	Labels  []int
	Scores  [][]float64
	Probes  [][]float64 // scores to map, some outside the range that was learnt from
	Sklearn map[Method][][]float64

	Temperature float64
	Netcal      [][]float64 // probabilities of Scores with its temperature
	Platt       []Sigmoid

	Figures struct {
		Bins       int
		Brier, ECE float64
		LogLoss    float64 `json:"log_loss"`
		Chance     float64
		ChanceSE   float64 `json:"chance_se"`
	}
}

func readGolden(t *testing.T) []goldenCase {
	t.Helper()
	cases := goldenfile.Read[struct{ Cases []goldenCase }](t, "golden.json").Cases
	if len(cases) < 12 {
		t.Fatalf("%d cases", len(cases))
	}
	return cases
}

// agree compares the probabilities of a calibration.
func agree(t *testing.T, what string, c *Calibration, scores, want [][]float64, tolerance float64) {
	t.Helper()
	for i, s := range scores {
		got, err := c.Probabilities(s)
		if err != nil || len(got) != len(want[i]) {
			t.Fatalf("%s: %v of %v, %v; want %v", what, got, s, err, want[i])
		}
		for k := range got {
			if !near(got[k], want[i][k], tolerance) {
				t.Errorf("%s: %.17g of %v at %d, want %.17g", what, got[k], s, k, want[i][k])
			}
		}
	}
}

// TestGolden compares with scikit-learn, netcal and SciPy (testdata/golden.py).
func TestGolden(t *testing.T) {
	for _, g := range readGolden(t) {
		t.Run(g.Name, func(t *testing.T) {
			fit := func(m Method) *Calibration {
				c, err := Fit(m, g.Classes, g.Labels, g.Scores)
				must(t, err)
				return c
			}
			c := fit(Temperature)
			if !near(c.T, g.Temperature, maximum) {
				t.Errorf("T %.17g, want %.17g", c.T, g.Temperature)
			}
			if g.Netcal != nil {
				agree(t, "netcal", c, g.Scores, g.Netcal, byNetcal)
			}
			c = fit(Platt)
			for k, s := range c.Sigmoids {
				if w := g.Platt[k]; !near(s.A, w.A, maximum) || !near(s.B, w.B, maximum) {
					t.Errorf("curve %d: %+v, want %+v", k, s, w)
				}
			}
			agree(t, "platt", c, g.Probes, g.Sklearn[Platt], bySklearn)
			agree(t, "isotonic", fit(IsotonicRegression), g.Probes, g.Sklearn[IsotonicRegression], exact)
		})
	}
}

// TestGoldenFigures compares with scikit-learn and netcal. The ECE of a perfect model is compared with random draws,
// within 5 standard errors.
func TestGoldenFigures(t *testing.T) {
	for _, g := range readGolden(t) {
		t.Run(g.Name, func(t *testing.T) {
			raw := make([][]float64, len(g.Scores))
			for i, s := range g.Scores {
				raw[i] = Uncalibrated(s)
			}
			got, err := Judge(g.Labels, raw, g.Figures.Bins)
			want := g.Figures
			if err != nil || got.Bags != len(g.Labels) || !near(got.Brier, want.Brier, exact) || !near(got.LogLoss, want.LogLoss, exact) {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
			if !near(got.ECE, want.ECE, exact) {
				t.Errorf("ECE %.17g, want %.17g", got.ECE, want.ECE)
			}
			if math.Abs(got.Chance-want.Chance) > 5*want.ChanceSE+1e-12 {
				t.Errorf("of a perfect model %v, want %v ± %v", got.Chance, want.Chance, want.ChanceSE)
			}
		})
	}
}
