package stats

import (
	"math"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// TestSilhouette compares with scikit-learn (testdata/silhouette.py); see [tolerance] for the precision.
func TestSilhouette(t *testing.T) {
	g := goldenfile.Read[struct {
		Cases []struct {
			Name       string
			Vectors    [][]float64
			Labels     []int
			Silhouette float64
		}
	}](t, "silhouette.json")
	if len(g.Cases) < 6 {
		t.Fatalf("%d cases", len(g.Cases))
	}
	for _, c := range g.Cases {
		got, err := Silhouette(c.Vectors, c.Labels)
		if err != nil || !near(got, c.Silhouette, tolerance) {
			t.Errorf("%s: %v (%v), want %v", c.Name, got, err, c.Silhouette)
		}
		other := make([]int, len(c.Labels))
		for i, l := range c.Labels {
			other[i] = 1 - l
		}
		if same, err := Silhouette(c.Vectors, other); err != nil || !near(same, got, tolerance) {
			t.Errorf("%s with the labels exchanged: %v (%v), want %v", c.Name, same, err, got)
		}
	}
	// Not among scikit-learn's cases: all vectors equal.
	if got, err := Silhouette([][]float64{{1}, {1}, {1}}, []int{0, 1, 1}); err != nil || got != 0 {
		t.Errorf("equal vectors: %v, %v", got, err)
	}
}

func TestSilhouetteRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		vectors [][]float64
		labels  []int
	}{
		"1 vectors and 2 labels":     {[][]float64{{1}}, []int{0, 1}},
		"labels are 0 or 1":          {[][]float64{{1}, {2}}, []int{0, 2}},
		"vector 1 has 2 features":    {[][]float64{{1}, {2, 3}}, []int{0, 1}},
		"vector 1: feature 0 is NaN": {[][]float64{{1}, {math.NaN()}}, []int{0, 1}},
		"both labels":                {[][]float64{{1}, {2}}, []int{1, 1}},
	} {
		if got, err := Silhouette(c.vectors, c.labels); err == nil || !strings.Contains(err.Error(), want) || got != 0 {
			t.Errorf("%v, %v; want %q", got, err, want)
		}
	}
	if _, err := Silhouette(nil, nil); err == nil {
		t.Error("no vectors")
	}
}
