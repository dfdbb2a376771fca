package mixture_test

import (
	"context"
	"math"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/mixture"
)

// golden is testdata/mixture.json.
type golden struct {
	Means []struct {
		Name     string
		Features int
		X        []float32
		Start    []float64
		Centres  []float64
		Inertia  float64
		Labels   []int
	}
	Mixtures []struct {
		Name             string
		Features         int
		X                []float32
		Iterations       int
		Tolerance        float64
		Start            mixture.Mixture
		Weights          []float64
		Means            []float64
		Variances        []float64
		LogLikelihood    float64 `json:"log_likelihood"`
		NIter            int     `json:"n_iter"`
		Converged        bool
		Responsibilities []float64
		Bags             [][2]int
		Histograms       [][]float64
		Fisher           [][]float64
	}
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d %s, want %d", len(got), what, len(want))
		return
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
			t.Errorf("%s %d is %.12g, want %.12g", what, i, v, want[i])
			return
		}
	}
}

// TestGoldenMeans compares with scikit-learn from the same centres.
func TestGoldenMeans(t *testing.T) {
	for _, g := range goldenfile.Read[golden](t, "mixture.json").Means {
		t.Run(g.Name, func(t *testing.T) {
			config := mixture.DefaultKMeans(len(g.Start) / g.Features)
			config.Tolerance = 0
			got, err := config.From(context.Background(), mixture.Matrix(g.X, g.Features, nil), g.Start)
			must(t, err)
			near(t, "centres", got.Values, g.Centres, 1e-9)
			near(t, "inertia", []float64{got.Inertia}, []float64{g.Inertia}, 1e-9)
			for i, want := range g.Labels {
				if label, _ := got.Nearest(g.X[i*g.Features : (i+1)*g.Features]); label != want {
					t.Fatalf("row %d is in cluster %d, want %d", i, label, want)
				}
			}
		})
	}
}

// TestGoldenMixtures compares with scikit-learn from the same mixture, and Fisher vectors with numpy and scikit-image.
func TestGoldenMixtures(t *testing.T) {
	for _, g := range goldenfile.Read[golden](t, "mixture.json").Mixtures {
		t.Run(g.Name, func(t *testing.T) {
			config := mixture.DefaultGaussian(len(g.Weights))
			config.Iterations, config.Tolerance = g.Iterations, g.Tolerance
			got, err := config.From(context.Background(), mixture.Matrix(g.X, g.Features, nil), &g.Start)
			must(t, err)
			must(t, got.Validate())
			if got.Converged != g.Converged || got.Iterations != g.NIter {
				t.Errorf("%d iterations, converged %t; want %d, %t", got.Iterations, got.Converged, g.NIter, g.Converged)
			}
			near(t, "weights", got.Weights, g.Weights, 1e-6)
			near(t, "means", got.Means, g.Means, 1e-6)
			near(t, "variances", got.Variances, g.Variances, 1e-6)
			near(t, "log-likelihood", []float64{got.LogLikelihood}, []float64{g.LogLikelihood}, 1e-6)
			k := len(g.Weights)
			for i := range len(g.Responsibilities) / k {
				gamma, _ := got.Responsibilities(g.X[i*g.Features : (i+1)*g.Features])
				near(t, "responsibilities", gamma, g.Responsibilities[i*k:(i+1)*k], 1e-6)
			}
			for i, bag := range g.Bags {
				rows := mixture.Matrix(g.X[bag[0]*g.Features:bag[1]*g.Features], g.Features, nil)
				vector, err := got.Fisher(rows)
				must(t, err)
				near(t, "Fisher vector", vector, g.Fisher[i], 1e-5)
			}
		})
	}
}
