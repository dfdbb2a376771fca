package training

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/stat"

	"synpool/course/examples/fit"
	"synpool/course/sequence"
	"synpool/synlayer"
)

// Sample is a set of points from a population: two normal coordinates of mean 0 and variance 1, with a correlation ρ.
type Sample struct {
	Points      [][]float32 // [points][2]
	Information float64     // mutual information of the two coordinates, -½ log(1 - ρ²), in nats
}

// Samples has the training and test samples.
type Samples struct{ Train, Test []Sample }

// OfSamples returns the settings for samples of 20 to 100 points.
func (s Settings) OfSamples() Settings {
	s.Smallest, s.Largest, s.Features, s.Candidates = 20, 100, 2, 0
	return s
}

// Samples draws samples from the seed, each with a ρ drawn evenly from -0.95 to 0.95. The statistic, the mutual information,
// is one of those of Zaheer et al. (section 4.1.1); their sets have 300 to 500 points.
func (s Settings) Samples() (*Samples, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.Smallest < 3 || s.Features != 2 {
		return nil, fmt.Errorf("samples of %d points or more with %d features; want 3 points or more with 2", s.Smallest, s.Features)
	}
	return &Samples{s.samples(s.Sets, 1), s.samples(s.Sets/10, 2)}, nil
}

// samples returns n samples drawn from a stream of the seed.
func (s Settings) samples(n int, stream uint64) []Sample {
	rng := rand.New(rand.NewPCG(s.Seed, stream))
	all := make([]Sample, n)
	for i := range all {
		correlation := 0.95 * (2*rng.Float64() - 1)
		all[i].Information = information(correlation)
		for range s.Smallest + rng.IntN(s.Largest-s.Smallest+1) {
			x := rng.NormFloat64()
			y := correlation*x + math.Sqrt(1-correlation*correlation)*rng.NormFloat64()
			all[i].Points = append(all[i].Points, []float32{float32(x), float32(y)})
		}
	}
	return all
}

// information returns the mutual information of two normal variables.
func information(correlation float64) float64 { return -math.Log1p(-correlation*correlation) / 2 }

// Estimator is a network that estimates the mutual information of the population from a sample.
type Estimator struct{ trained }

// TrainEstimator trains a network by squared errors, and writes one line per epoch to log, beginning with name.
func (s Settings) TrainEstimator(ctx context.Context, backend compute.Backend, d *Samples, name string, log io.Writer) (*Estimator, error) {
	n, err := s.train(ctx, backend, name, log, s.ofSamples(d.Train), func(f sequence.DeepSets, scope *model.Scope, in []*Node) *Node {
		estimates, _ := f.Apply(scope, synlayer.Bags{X: in[0], Mask: in[1]})
		return Squeeze(estimates, -1)
	}, func(estimates *Node, in []*Node) *Node { // an empty row weighs nothing
		return Div(ReduceAllSum(Mul(in[3], Square(Sub(estimates, in[2])))), ReduceAllSum(in[3]))
	})
	return &Estimator{n}, err
}

// Estimate returns an estimate for each sample.
func (e *Estimator) Estimate(samples []Sample) ([]float64, error) {
	estimates := make([]float64, len(samples))
	set := e.settings.ofSamples(samples)
	all := set.Input
	set.Input = func(b fit.Batch) ([]any, error) { // without knowing the population
		in, err := all(b)
		return in[:2], err
	}
	return estimates, fit.Predict(e.find, set, func(b fit.Batch, out []any) {
		for i, r := range b.Real() {
			estimates[r] = float64(out[0].([]float32)[i])
		}
	})
}

// PlugIn returns the usual estimates: the mutual information at the correlation of each sample.
func PlugIn(samples []Sample) []float64 {
	estimates := make([]float64, len(samples))
	for i, sample := range samples {
		x, y := make([]float64, len(sample.Points)), make([]float64, len(sample.Points))
		for k, point := range sample.Points {
			x[k], y[k] = float64(point[0]), float64(point[1])
		}
		estimates[i] = information(stat.Correlation(x, y, nil))
	}
	return estimates
}

// Constant returns the mean of the training samples as the estimate of every test sample.
func (d *Samples) Constant() []float64 {
	mean := 0.0
	for _, sample := range d.Train {
		mean += sample.Information / float64(len(d.Train))
	}
	estimates := make([]float64, len(d.Test))
	for i := range estimates {
		estimates[i] = mean
	}
	return estimates
}

// Missed returns the root mean square error of the estimates of samples.
func Missed(samples []Sample, estimates []float64) float64 {
	squares := 0.0
	for i, sample := range samples {
		squares += math.Pow(estimates[i]-sample.Information, 2) / float64(len(samples))
	}
	return math.Sqrt(squares)
}

// ofSamples puts samples into batches: points, mask, the mutual information [batch], and weights [batch], 0 in an empty row.
func (s Settings) ofSamples(samples []Sample) fit.Set {
	return s.batches(fit.Lengths(samples, func(sample Sample) int { return len(sample.Points) }), func(b fit.Batch) ([]any, error) {
		truth, weights := make([]float32, len(b.Rows)), make([]float32, len(b.Rows))
		for i, r := range b.Real() {
			truth[i], weights[i] = float32(samples[r].Information), 1
		}
		return append(s.padded(b, func(r int) [][]float32 { return samples[r].Points }), truth, weights), nil
	})
}
