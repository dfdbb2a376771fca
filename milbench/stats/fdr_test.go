package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// TestGoldenFDR compares with SciPy (testdata/fdr.py).
func TestGoldenFDR(t *testing.T) {
	for _, c := range goldenfile.Read[[]struct{ P, Adjusted []float64 }](t, "fdr.json") {
		got, err := BenjaminiHochberg(c.P)
		if err != nil || len(got) != len(c.Adjusted) {
			t.Fatalf("%v, %v", got, err)
		}
		for i := range got {
			if math.Abs(got[i]-c.Adjusted[i]) > 1e-12 {
				t.Errorf("%v: %v at %d, want %v", c.P, got[i], i, c.Adjusted[i])
			}
		}
	}
	for want, p := range map[string][]float64{"no p-values": nil, "the p-value at 1 is NaN": {0.5, math.NaN()}, "the p-value at 0 is -1": {-1}} {
		if _, err := BenjaminiHochberg(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestFDRLaw: of independent p-values, of which some are small, the share of false discoveries is on average at most q times the share
// without an effect, which is what the procedure promises, and close to it.
func TestFDRLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	const tests, effects, q, draws = 50, 20, 0.2, 4000
	sum := 0.0
	for range draws {
		p := make([]float64, tests)
		for i := range p {
			if p[i] = rng.Float64(); i < effects {
				p[i] = math.Pow(p[i], 8)
			}
		}
		adjusted, err := BenjaminiHochberg(p)
		if err != nil {
			t.Fatal(err)
		}
		found, wrong := 0.0, 0.0
		for i, v := range adjusted {
			if v <= q {
				if found++; i >= effects {
					wrong++
				}
			}
		}
		sum += wrong / max(found, 1)
	}
	if got, want := sum/draws, q*(tests-effects)/tests; math.Abs(got-want) > 0.008 {
		t.Errorf("share of false discoveries %.4f, want %.4f", got, want)
	}
}
