package mixture_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"synpool/internal/mixture"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// blobs returns n rows of d features around k points that are far apart; row i is of point i mod k.
func blobs(n, d, k int) []float32 {
	random := source(7)
	x := make([]float32, 0, n*d)
	for i := range n {
		for j := range d {
			x = append(x, float32(10*(i%k)*(j+1)%17)+float32(random.NormFloat64()))
		}
	}
	return x
}

// TestFit finds clusters that are far apart, the same for the same seed.
func TestFit(t *testing.T) {
	ctx := context.Background()
	const n, d, k = 200, 4, 5
	rows := mixture.Matrix(blobs(n, d, k), d, nil)
	centres, err := mixture.DefaultKMeans(k).Fit(ctx, rows, source(1))
	must(t, err)
	again, err := mixture.DefaultKMeans(k).Fit(ctx, rows, source(1))
	if err != nil || !reflect.DeepEqual(centres, again) {
		t.Errorf("another result from the same seed (%v)", err)
	}
	m, err := mixture.DefaultGaussian(k).Fit(ctx, rows, source(2))
	must(t, err)
	if err := errors.Join(centres.Validate(), m.Validate()); err != nil {
		t.Error(err)
	}
	if perRow := centres.Inertia / n; math.Abs(perRow-d) > 0.5 {
		t.Errorf("inertia %.2f per row, want about %d", perRow, d)
	}
	for i, w := range m.Weights {
		if math.Abs(w-1./k) > 1e-6 {
			t.Errorf("component %d has the weight %.4f, want %.4f", i, w, 1./k)
		}
	}
	if !m.Converged || math.Abs(slices.Max(m.Variances)-1) > 0.8 {
		t.Errorf("converged %t, variances %.2f", m.Converged, m.Variances)
	}
}

// TestLikelihood: no iteration of EM makes the rows less likely, except for the effect of the floor.
func TestLikelihood(t *testing.T) {
	x := blobs(100, 3, 4)
	before := math.Inf(-1)
	for iterations := range 12 {
		config := mixture.DefaultGaussian(3)
		config.Iterations, config.Tolerance = iterations, 0
		m, err := config.Fit(context.Background(), mixture.Matrix(x, 3, nil), source(3))
		must(t, err)
		if m.LogLikelihood < before-1e-6 {
			t.Errorf("log-likelihood %g after %d iterations, %g before", m.LogLikelihood, iterations, before)
		}
		before = m.LogLikelihood
	}
}

// TestRows: rows that are listed are as good as a copy of them, and their order hardly matters to a Fisher vector.
func TestRows(t *testing.T) {
	ctx := context.Background()
	x, list := blobs(60, 3, 3), []int{5, 50, 7, 8, 33, 12, 5, 41}
	var part []float32
	for _, i := range list {
		part = append(part, x[3*i:3*i+3]...)
	}
	fit := func(x []float32, rows []int) *mixture.Mixture {
		m, err := mixture.DefaultGaussian(2).Fit(ctx, mixture.Matrix(x, 3, rows), source(1))
		must(t, err)
		return m
	}
	m := fit(x, list)
	if !reflect.DeepEqual(m, fit(part, nil)) {
		t.Error("listed rows give another mixture")
	}
	one, err := m.Fisher(mixture.Matrix(x, 3, []int{1, 2, 3, 4}))
	must(t, err)
	other, err := m.Fisher(mixture.Matrix(x, 3, []int{4, 2, 1, 3}))
	must(t, err)
	near(t, "Fisher vector", one, other, 1e-6)
}

// TestFew: clusters without rows, rows that are all equal, and sets without rows are defined.
func TestFew(t *testing.T) {
	ctx := context.Background()
	same := mixture.Matrix(slices.Repeat([]float32{1, 2}, 6), 2, nil)
	centres, err := mixture.DefaultKMeans(3).Fit(ctx, same, source(1))
	if err != nil || centres.Inertia != 0 || !slices.Equal(centres.Values, []float64{1, 2, 1, 2, 1, 2}) {
		t.Errorf("%v, %v", centres, err)
	}
	m, err := mixture.DefaultGaussian(3).Fit(ctx, same, source(1))
	must(t, err)
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
	none := mixture.Matrix(nil, 2, nil)
	vector, err := m.Fisher(none)
	must(t, err)
	if slices.Max(vector) != 0 || len(vector) != 12 {
		t.Errorf("of no rows: %v", vector)
	}
	// A row far from all components still has responsibilities that sum to 1.
	gamma, density := m.Responsibilities([]float32{1e6, -1e6})
	var sum float64
	for _, g := range gamma {
		sum += g
	}
	if math.Abs(sum-1) > 1e-12 || density-density != 0 {
		t.Errorf("responsibilities %v, log density %g", gamma, density)
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	good := blobs(10, 2, 2)
	bad := slices.Clone(good)
	bad[5] = float32(math.NaN())
	uneven := func(yield func([]float32) bool) { _ = yield([]float32{1, 2}) && yield([]float32{1}) }
	for name, config := range map[string]mixture.KMeans{
		"no clusters": {0, 1, 0}, "no iterations": {1, 0, 0}, "tolerance": {1, 1, math.NaN()}, "few rows": {11, 1, 0},
	} {
		if _, err := config.Fit(ctx, mixture.Matrix(good, 2, nil), source(1)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := mixture.DefaultKMeans(2).From(ctx, mixture.Matrix(good, 2, nil), make([]float64, 3)); err == nil {
		t.Error("3 values of centres: no error")
	}
	for name, rows := range map[string]func(func([]float32) bool){"NaN": mixture.Matrix(bad, 2, nil), "none": mixture.Matrix(nil, 2, nil), "uneven": uneven} {
		if _, err := mixture.DefaultKMeans(1).Fit(ctx, rows, source(1)); err == nil {
			t.Errorf("k-means, %s: no error", name)
		}
		if _, err := mixture.DefaultGaussian(1).Fit(ctx, rows, source(1)); err == nil {
			t.Errorf("mixture, %s: no error", name)
		}
	}
	config := mixture.DefaultGaussian(2)
	config.Floor = 0
	if _, err := config.Fit(ctx, mixture.Matrix([]float32{1, 1, 1}, 1, nil), source(1)); err == nil {
		t.Error("no variance: no error")
	}
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	if _, err := mixture.DefaultKMeans(2).Fit(ended, mixture.Matrix(good, 2, nil), source(1)); !errors.Is(err, cause) {
		t.Errorf("k-means: %v", err)
	}
	if _, err := mixture.DefaultGaussian(2).Fit(ended, mixture.Matrix(good, 2, nil), source(1)); !errors.Is(err, cause) {
		t.Errorf("mixture: %v", err)
	}
}

func TestValidate(t *testing.T) {
	for name, c := range map[string]mixture.Centres{"none": {Features: 2}, "no features": {Values: []float64{1}}, "ragged": {Features: 2, Values: []float64{1, 2, 3}}, "NaN": {Features: 1, Values: []float64{math.NaN()}}} {
		if c.Validate() == nil {
			t.Errorf("centres, %s: no error", name)
		}
	}
	for name, change := range map[string]func(*mixture.Mixture){
		"no weights": func(m *mixture.Mixture) { m.Weights = nil }, "features": func(m *mixture.Mixture) { m.Features = 1 }, "no features": func(m *mixture.Mixture) { m.Features = 0 },
		"weight 0": func(m *mixture.Mixture) { m.Weights = []float64{0, 1} }, "sum": func(m *mixture.Mixture) { m.Weights[0] = 0.9 },
		"means": func(m *mixture.Mixture) { m.Means = m.Means[1:] }, "variances": func(m *mixture.Mixture) { m.Variances = m.Variances[1:] },
		"infinite": func(m *mixture.Mixture) { m.Means[1] = math.Inf(1) }, "variance 0": func(m *mixture.Mixture) { m.Variances[1] = 0 },
	} {
		m := &mixture.Mixture{Features: 2, Weights: []float64{0.5, 0.5}, Means: make([]float64, 4), Variances: []float64{1, 1, 1, 1}}
		must(t, m.Validate())
		if change(m); m.Validate() == nil {
			t.Errorf("mixture, %s: no error", name)
		}
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
