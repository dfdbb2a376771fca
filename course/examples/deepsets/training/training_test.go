package training_test

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/backend/backendtest"
	"synpool/course/examples/deepsets/training"
	"synpool/course/examples/fit/fittest"
	"synpool/course/sequence"
	"synpool/internal/large"
	"synpool/synlayer"
)

// small are settings of seconds.
func small() training.Settings {
	s := training.Quick()
	s.Sets, s.Smallest, s.Largest, s.Epochs, s.Width, s.Features, s.Rate = 3000, 4, 9, 8, 32, 3, 0.01
	return s
}

// TestTrain: in sets of several sizes the network ranks the outlier first, which the distance from the mean does not, and neither
// does the network by the points of another set.
func TestTrain(t *testing.T) {
	s := small()
	s.Sets, s.Seed = large.Number(2000, 3000), 3
	s.Pooling = sequence.WordAttention{Width: 16, Adjust: sequence.Adjustment{Iterations: 2, Gamma: 0.5, Renormalise: true}}
	data := fittest.Must(s.Prepare())
	network := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), data, "attention", io.Discard))
	first := fittest.Must(network.Evaluate(data.Test))
	others := slices.Clone(data.Test)
	for i := range others {
		others[i].Points = data.Test[(i+1)%len(others)].Points
	}
	byOthers := fittest.Must(network.Evaluate(others))
	// One of five by chance, and more by another set, to which the candidates of one line are as near as each other.
	if byDistance := training.ByDistance(data.Test); first < 0.7 || byDistance > 0.3 || byOthers > first-0.3 {
		t.Errorf("of %d outliers %.3f ranked first, %.3f by distance, %.3f by other sets", len(data.Test), first, byDistance, byOthers)
	}
}

// TestEstimate: the network misses the mutual information by less than half of what the constant does, which it does not by
// samples of other populations. Its estimates do not depend on the order of the points.
func TestEstimate(t *testing.T) {
	s := small().OfSamples()
	s.Sets, s.Largest, s.Epochs, s.Pooling = 2000, 40, large.Number(6, 12), synlayer.MeanPooling{}
	data := fittest.Must(s.Samples())
	network := fittest.Must(s.TrainEstimator(t.Context(), gobackend.GetBackend(), data, "mean", io.Discard))
	estimates := fittest.Must(network.Estimate(data.Test))
	missed, constant := training.Missed(data.Test, estimates), training.Missed(data.Test, data.Constant())
	shifted := append(slices.Clone(estimates[1:]), estimates[0])
	if byOthers := training.Missed(data.Test, shifted); missed > constant/2 || byOthers < constant {
		t.Errorf("missed by %.3f, with samples of others %.3f, the constant %.3f", missed, byOthers, constant)
	}
	backwards := slices.Clone(data.Test)
	for i := range backwards {
		backwards[i].Points = slices.Clone(backwards[i].Points)
		slices.Reverse(backwards[i].Points)
	}
	if far := floats.Distance(fittest.Must(network.Estimate(backwards)), estimates, math.Inf(1)); far > 1e-4 {
		t.Errorf("points in another order change an estimate by %g", far)
	}
}

// TestPlugIn: the estimate comes to the truth as samples grow, by 1/√n.
func TestPlugIn(t *testing.T) {
	var missed []float64
	for _, n := range []int{50, 5000} {
		s := small().OfSamples()
		s.Sets, s.Smallest, s.Largest = 1000, n, n
		d := fittest.Must(s.Samples())
		missed = append(missed, training.Missed(d.Test, training.PlugIn(d.Test)))
	}
	if ratio := missed[0] / missed[1]; ratio < 7 || ratio > 15 || missed[1] > 0.02 {
		t.Errorf("missed by %.4f with 50 points and %.4f with 5,000, want a tenth", missed[0], missed[1])
	}
}

// TestPrepare: sets have every size, their outliers every place, and other seeds make others.
func TestPrepare(t *testing.T) {
	s := small()
	d := fittest.Must(s.Prepare())
	sizes, places := map[int]int{}, map[int]int{}
	for _, set := range d.Train {
		sizes[len(set.Points)]++
		places[set.Outlier]++
		if len(set.Candidates) != s.Candidates || len(set.Points[0]) != s.Features {
			t.Fatalf("%d candidates, %d features", len(set.Candidates), len(set.Points[0]))
		}
	}
	if len(d.Train) != 3000 || len(d.Test) != 300 || len(sizes) != 6 || len(places) != 5 || sizes[4] < 400 || sizes[9] < 400 {
		t.Errorf("%d and %d sets, sizes %v, outliers at %v", len(d.Train), len(d.Test), sizes, places)
	}
	s.Seed++
	other := fittest.Must(s.Prepare())
	for _, sets := range [][]training.Set{other.Train, other.Test, d.Test} {
		if sets[0].Points[0][0] == d.Train[0].Points[0][0] {
			t.Error("two streams are one")
		}
	}
}

func TestRefusals(t *testing.T) {
	s := small()
	s.Sets, s.Epochs = 100, 1
	try := func(s training.Settings) error {
		d, err := s.Prepare()
		if err == nil {
			_, err = s.Train(t.Context(), backendtest.Chosen(t), d, "", io.Discard)
		}
		return err
	}
	fittest.RequireRefused(t, s, try, map[string]func(*training.Settings){
		"no sets":       func(s *training.Settings) { s.Sets = 0 },
		"no points":     func(s *training.Settings) { s.Smallest = 0 },
		"sizes":         func(s *training.Settings) { s.Largest = s.Smallest - 1 },
		"one candidate": func(s *training.Settings) { s.Candidates = 1 },
		"too many":      func(s *training.Settings) { s.Features = 1 << 30 },
		"no rate":       func(s *training.Settings) { s.Rate = 0 },
		"no width":      func(s *training.Settings) { s.Width = 0 },
		"no pooling":    func(s *training.Settings) { s.Pooling = nil },
	})
	of := func(s training.Settings) error {
		_, err := s.Samples()
		return err
	}
	fittest.RequireRefused(t, s.OfSamples(), of, map[string]func(*training.Settings){
		"two points":     func(s *training.Settings) { s.Smallest = 2 },
		"three features": func(s *training.Settings) { s.Features = 3 },
		"no samples":     func(s *training.Settings) { s.Sets = 0 },
	})
}
