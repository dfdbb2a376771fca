package stats

import (
	"errors"
	"math"
	"testing"

	"synpool/internal/goldenfile"
)

// TestShares compares Kendall and ShareInterval with SciPy (testdata/shares.py). The intervals
// come from different inversions of the same distributions, hence [intervalTolerance].
func TestShares(t *testing.T) {
	golden := goldenfile.Read[struct {
		Kendall []struct {
			Name string
			X, Y []float64
			Tau  float64
		}
		Shares []struct {
			K, N      int
			Low, High float64
		}
	}](t, "shares.json")
	if len(golden.Kendall) < 4 || len(golden.Shares) < 7 {
		t.Fatalf("%d and %d cases", len(golden.Kendall), len(golden.Shares))
	}
	for _, c := range golden.Kendall {
		if tau, err := Kendall(c.X, c.Y); err != nil || !near(tau, c.Tau, tolerance) {
			t.Errorf("%s: τ-b %v (%v), SciPy %v", c.Name, tau, err, c.Tau)
		}
	}
	for _, c := range golden.Shares {
		low, high, err := ShareInterval(float64(c.K), c.N, 0.95)
		if err != nil || !near(low, c.Low, intervalTolerance) || !near(high, c.High, intervalTolerance) {
			t.Errorf("%d of %d: %v to %v (%v); SciPy %v to %v", c.K, c.N, low, high, err, c.Low, c.High)
		}
	}
	low, high, err := ShareInterval(6.5, 15, 0.95)
	under, _, err1 := ShareInterval(6, 15, 0.95)
	_, over, err2 := ShareInterval(7, 15, 0.95)
	if err != nil || err1 != nil || err2 != nil || low != under || high != over {
		t.Errorf("6.5 of 15: %v to %v, want %v to %v", low, high, under, over)
	}
	if tau, err := Kendall([]float64{1, 1}, []float64{1, 2}); tau != 0 || !errors.Is(err, ErrAllEqual) {
		t.Errorf("τ-b of equal values: %v, %v", tau, err)
	}
}

func TestSharesRefuse(t *testing.T) {
	if _, err := Kendall([]float64{1}, nil); err == nil {
		t.Error("pairs of one value")
	}
	if _, err := Kendall([]float64{1, math.NaN()}, []float64{1, 2}); err == nil {
		t.Error("NaN has a rank")
	}
	for _, c := range []struct {
		k     float64
		n     int
		level float64
	}{{1, 0, 0.95}, {-1, 3, 0.95}, {4, 3, 0.95}, {math.NaN(), 3, 0.95}, {1, 3, 0}, {1, 3, 1}, {1, 3, math.NaN()}} {
		if low, high, err := ShareInterval(c.k, c.n, c.level); err == nil || low != 0 || high != 0 {
			t.Errorf("%v of %d at level %v: %v to %v, %v", c.k, c.n, c.level, low, high, err)
		}
	}
}
