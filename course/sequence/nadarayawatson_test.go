package sequence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldentest"
)

var kernels = []sequence.Kernel{sequence.Gaussian, sequence.Epanechnikov, sequence.Tricube, sequence.Boxcar}

func points(rng *rand.Rand, n, features int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, features)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
	}
	return x
}

// TestNadarayaWatson compares weights and values with the formula, term by term, and the layer with both.
func TestNadarayaWatson(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	keys, queries := points(rng, 7, 2), append(points(rng, 3, 2), []float64{50, 60})
	values := []float64{1, 2, -1, 0.5, 3, 0, 1}
	formula := map[sequence.Kernel]func(u float64) float64{
		sequence.Gaussian:     func(u float64) float64 { return math.Exp(-u * u / 2) },
		sequence.Epanechnikov: func(u float64) float64 { return max(0, 1-u*u) },
		sequence.Tricube:      func(u float64) float64 { return math.Pow(max(0, 1-u*u*u), 3) },
		sequence.Boxcar: func(u float64) float64 {
			if u <= 1 {
				return 1
			}
			return 0
		},
	}
	for _, kernel := range kernels {
		k := sequence.NadarayaWatson{Kernel: kernel, Bandwidth: 1.7}
		want, wantWeights := make([]float64, len(queries)), make([][]float64, len(queries))
		for q, x := range queries {
			weights, sum := make([]float64, len(keys)), 0.0
			nearest, distance := 0, math.Inf(1)
			for i, key := range keys {
				d := math.Hypot(x[0]-key[0], x[1]-key[1])
				weights[i] = formula[kernel](d / k.Bandwidth)
				sum += weights[i]
				if d < distance {
					nearest, distance = i, d
				}
			}
			if sum == 0 { // too far from all: the nearest, and so it is in the limit of the Gaussian
				weights[nearest], sum = 1, 1
			}
			for i := range weights {
				weights[i] /= sum
				want[q] += weights[i] * values[i]
			}
			wantWeights[q] = weights
			value, got, err := k.Predict(x, keys, values)
			if err != nil {
				t.Fatal(err)
			}
			within(t, fmt.Sprintf("%s: value at %v", kernel, x), []float64{value}, want[q:q+1], 1e-13)
			within(t, fmt.Sprintf("%s: weights at %v", kernel, x), got, weights, 1e-13)
		}
		for name, backend := range backendtest.All(t) {
			t.Run(fmt.Sprintf("%s/%s", name, kernel), func(t *testing.T) {
				column := make([][][]float64, 1)
				for _, v := range values {
					column[0] = append(column[0], []float64{v})
				}
				out := MustNewExec(backend, func(q, keys, values *Node) (out, weights *Node) { return k.Attend(q, keys, values, nil) }).MustCall([][][]float64{queries}, [][][]float64{keys}, column)
				within(t, "values", goldentest.Floats(out[0]), want, 1e-13)
				for i, w := range wantWeights {
					within(t, "weights", goldentest.Floats(out[1])[i*len(keys):(i+1)*len(keys)], w, 1e-13)
				}
			})
		}
	}
}

// noisy returns n places in [0, 1] with the labels sin(6x) and noise of variance 0.09.
func noisy(seed uint64, n int) (keys [][]float64, values []float64) {
	rng := rand.New(rand.NewPCG(seed, 8))
	for range n {
		x := rng.Float64()
		keys, values = append(keys, []float64{x}), append(values, math.Sin(6*x)+0.3*rng.NormFloat64())
	}
	return keys, values
}

// TestLeaveOneOut compares the errors with fits of all labels but one, and the choice with the truth.
func TestLeaveOneOut(t *testing.T) {
	keys, values := noisy(1, 60)
	var candidates []sequence.NadarayaWatson
	for _, h := range []float64{0.001, 0.01, 0.05, 0.1, 0.3, 1, 3} {
		candidates = append(candidates, sequence.NadarayaWatson{Bandwidth: h})
	}
	candidates = append(candidates, sequence.NadarayaWatson{Kernel: sequence.Epanechnikov, Bandwidth: 0.2})
	best, got, err := sequence.LeaveOneOut(candidates, keys, values)
	if err != nil {
		t.Fatal(err)
	}
	smallest := math.Inf(1)
	var want sequence.NadarayaWatson
	for c, k := range candidates {
		sum := 0.0
		for i := range keys {
			rest, labels := append(append([][]float64{}, keys[:i]...), keys[i+1:]...), append(append([]float64{}, values[:i]...), values[i+1:]...)
			y, _, err := k.Predict(keys[i], rest, labels)
			if err != nil {
				t.Fatal(err)
			}
			sum += (y - values[i]) * (y - values[i]) / float64(len(keys))
		}
		within(t, fmt.Sprintf("error of %v", k), got[c:c+1], []float64{sum}, 1e-13)
		if sum < smallest {
			smallest, want = sum, k
		}
	}
	if best != want {
		t.Errorf("chose %v, want %v", best, want)
	}
	if best.Bandwidth < 0.03 || best.Bandwidth > 0.4 {
		t.Errorf("chose bandwidth %g for a wave of length 1", best.Bandwidth)
	}
}

// TestTinyBandwidth: where bandwidths are too small for the square of a distance in them, the nearest key has all the weight,
// as in the limit, and gradients are finite.
func TestTinyBandwidth(t *testing.T) {
	keys, values, query := [][]float64{{0, 0}, {10, 0}, {0, 30}}, []float64{1, 2, 4}, []float64{7, 1}
	for _, kernel := range kernels {
		for _, h := range []float64{1e-25, 1e-170} {
			value, weights, err := sequence.NadarayaWatson{Kernel: kernel, Bandwidth: h}.Predict(query, keys, values)
			if err != nil || value != 2 || !slices.Equal(weights, []float64{0, 1, 0}) {
				t.Errorf("%s, bandwidth %g: value %g with weights %g, %v", kernel, h, value, weights, err)
			}
		}
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			k := sequence.NadarayaWatson{Kernel: kernel, Bandwidth: 1e-19}
			if dtype == dtypes.Float64 {
				k.Bandwidth = 1e-154
			}
			out := MustNewExec(backend, func(q, keys, values *Node) []*Node {
				q, keys, values = ConvertDType(q, dtype), ConvertDType(keys, dtype), ConvertDType(values, dtype)
				out, weights := k.Attend(q, keys, values, nil)
				return append([]*Node{out, weights}, Gradient(ReduceAllSum(Square(out)), q, keys, values)...)
			}).MustCall([][][]float64{{query}}, [][][]float64{keys}, [][][]float64{{{1}, {2}, {4}}})
			within(t, "value", goldentest.Floats(out[0]), []float64{2}, 0)
			within(t, "weights", goldentest.Floats(out[1]), []float64{0, 1, 0}, 0)
			within(t, "gradient of the query", goldentest.Floats(out[2]), make([]float64, 2), 0)
			within(t, "gradient of the keys", goldentest.Floats(out[3]), make([]float64, 6), 0)
			within(t, "gradient of the values", goldentest.Floats(out[4]), []float64{0, 4, 0}, 0)
		})
	}
	// A choice among such candidates is by their errors: the nearest label is off by 1, the mean of the others by more.
	best, errors, err := sequence.LeaveOneOut([]sequence.NadarayaWatson{{Bandwidth: 1e200}, {Bandwidth: 1e-170}}, [][]float64{{0}, {1}, {2e10}, {2e10 + 1}}, []float64{0, 1, 10, 11})
	if err != nil {
		t.Fatal(err)
	}
	within(t, "errors", errors, []float64{(22./3*22/3 + 36) / 2, 1}, 1e-14)
	if best.Bandwidth != 1e-170 {
		t.Errorf("chose %v", best)
	}
}

func TestNadarayaWatsonErrors(t *testing.T) {
	good := sequence.NadarayaWatson{Bandwidth: 1}
	keys, values := [][]float64{{1}, {2}}, []float64{1, 2}
	for what, c := range map[string]struct {
		k      sequence.NadarayaWatson
		x      []float64
		keys   [][]float64
		values []float64
	}{
		"bandwidth":   {sequence.NadarayaWatson{}, []float64{1}, keys, values},
		"no number":   {sequence.NadarayaWatson{Bandwidth: math.NaN()}, []float64{1}, keys, values},
		"kernel":      {sequence.NadarayaWatson{Kernel: 9, Bandwidth: 1}, []float64{1}, keys, values},
		"no keys":     {good, []float64{1}, nil, nil},
		"lengths":     {good, []float64{1}, keys, values[:1]},
		"features":    {good, []float64{1, 2}, keys, values},
		"NaN in keys": {good, []float64{1}, [][]float64{{math.NaN()}, {1}}, values},
		"NaN in x":    {good, []float64{math.NaN()}, keys, values},
		"infinite x":  {good, []float64{math.Inf(1)}, keys, values},
		"adjusted":    {sequence.NadarayaWatson{Bandwidth: 1, Adjust: concentrate}, []float64{1}, keys, values},
		"too far":     {good, []float64{1e308}, [][]float64{{-1e308}, {-1.5e308}}, values},
	} {
		if y, _, err := c.k.Predict(c.x, c.keys, c.values); err == nil || !strings.HasPrefix(err.Error(), "sequence: ") {
			t.Errorf("%s: %g, %v, want an error", what, y, err)
		}
	}
	for what, c := range map[string]struct {
		candidates []sequence.NadarayaWatson
		keys       [][]float64
		values     []float64
	}{
		"one label":       {[]sequence.NadarayaWatson{good}, keys[:1], values[:1]},
		"no candidates":   {nil, keys, values},
		"bandwidth":       {[]sequence.NadarayaWatson{good, {}}, keys, values},
		"adjusted":        {[]sequence.NadarayaWatson{good, {Bandwidth: 1, Adjust: concentrate}}, keys, values},
		"too far":         {[]sequence.NadarayaWatson{good}, [][]float64{{-1e308}, {1e308}}, values},
		"too large":       {[]sequence.NadarayaWatson{good}, keys, []float64{-1e200, 1e200}},
		"errors overflow": {[]sequence.NadarayaWatson{good}, keys, []float64{-1e308, 1e308}},
	} {
		if best, errors, err := sequence.LeaveOneOut(c.candidates, c.keys, c.values); err == nil || !strings.HasPrefix(err.Error(), "sequence: ") {
			t.Errorf("leave-one-out, %s: %v with %g, %v, want an error", what, best, errors, err)
		}
	}
}
