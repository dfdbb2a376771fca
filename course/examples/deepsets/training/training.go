// Package training trains deep sets (Zaheer et al. 2017) to rank outliers of generated sets.
package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"gonum.org/v1/gonum/floats"

	"synpool/course/examples/fit"
	"synpool/course/sequence"
	"synpool/synlayer"
)

// Settings of the sets and of a training.
type Settings struct {
	fit.Settings
	Sets       int // number of training sets; a tenth as many are test sets
	Smallest   int // minimum number of points in a set
	Largest    int // maximum number of points; all sizes are equally likely
	Candidates int // number of candidates per set; one of them is the outlier
	Features   int // number of features of a point
	Width      int // width of the network's layers
	Pooling    synlayer.Pooling
}

// Full returns settings for sets of 3 to 20 points.
func Full() Settings {
	return Settings{
		Settings: fit.Settings{Rate: 2e-3, Clip: 1, Batch: 64, Epochs: 10, Seed: 1},
		Sets:     20000, Smallest: 3, Largest: 20, Candidates: 5, Features: 4, Width: 64, Pooling: synlayer.MeanPooling{},
	}
}

// Quick returns settings for fewer sets.
func Quick() Settings {
	s := Full()
	s.Sets, s.Epochs = 5000, 8
	return s
}

// Set is a set of points near two places, and candidates, of the same places except for one.
type Set struct {
	Points, Candidates [][]float32 // [points][features], [candidates][features]
	Outlier            int         // index of the candidate from a different set
}

// Data has the training and test sets.
type Data struct{ Train, Test []Set }

// Prepare draws sets from the seed. The two places of a set are m and -m, with m drawn on the sphere of radius 2 for each
// set. A point is one of them plus noise of standard deviation 0.4 in every feature; the outlier is such a point of a
// different set. So the outlier can only be recognised from the points of the set, and not from their mean, which is near 0.
func (s Settings) Prepare() (*Data, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	const most = 1 << 20
	if s.Sets < 10 || s.Smallest < 1 || s.Largest < s.Smallest || s.Candidates < 2 || s.Features < 1 || max(s.Sets, s.Largest, s.Candidates, s.Features) > most {
		return nil, fmt.Errorf("%d sets of %d to %d points and %d candidates with %d features; want 10 sets, 1 point, 2 candidates and 1 feature or more, and at most %d of each", s.Sets, s.Smallest, s.Largest, s.Candidates, s.Features, most)
	}
	return &Data{s.draw(s.Sets, 1), s.draw(s.Sets/10, 2)}, nil
}

// draw returns n sets drawn from a stream of the seed.
func (s Settings) draw(n int, stream uint64) []Set {
	rng := rand.New(rand.NewPCG(s.Seed, stream))
	direction := func() []float64 {
		m := make([]float64, s.Features)
		for j := range m {
			m[j] = rng.NormFloat64()
		}
		floats.Scale(2/floats.Norm(m, 2), m)
		return m
	}
	point := func(m []float64) []float32 {
		side := float64(2*rng.IntN(2) - 1)
		x := make([]float32, s.Features)
		for j := range x {
			x[j] = float32(side*m[j] + 0.4*rng.NormFloat64())
		}
		return x
	}
	sets := make([]Set, n)
	for i := range sets {
		m := direction()
		set := Set{Outlier: rng.IntN(s.Candidates)}
		for range s.Smallest + rng.IntN(s.Largest-s.Smallest+1) {
			set.Points = append(set.Points, point(m))
		}
		for j := range s.Candidates {
			of := m
			if j == set.Outlier {
				of = direction()
			}
			set.Candidates = append(set.Candidates, point(of))
		}
		sets[i] = set
	}
	return sets
}

// Network is a trained deep sets network.
type Network struct {
	fit.Kept
	settings Settings
	scores   *model.Exec
}

// Train trains a network to score the outlier above the other candidates, and writes one line per epoch to log, beginning
// with name.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, name string, log io.Writer) (*Network, error) {
	if s.Pooling == nil || s.Width < 1 {
		return nil, fmt.Errorf("a pooling %v and layers of %d features; want a pooling, and 1 feature or more", s.Pooling, s.Width)
	}
	sets := sequence.DeepSets{Element: []int{s.Width, s.Width}, Pooling: s.Pooling, Set: []int{s.Width, 1}}
	scores := func(scope *model.Scope, in []*Node) *Node {
		fit.Live(scope, in[0].Graph())
		return sets.Scores(scope, synlayer.Bags{X: in[0], Mask: in[1]}, in[2])
	}
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, _ *Node) *Node {
		return sequence.RankingLoss(scores(scope, in), in[3], 1)
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s}
	if n.scores, err = model.NewExec(backend, trainer.Store, scores); err != nil {
		return nil, err
	}
	n.scores.SetMaxCache(-1)
	n.Kept, err = trainer.Run(ctx, fit.Course{
		Name: name, Settings: []any{s, fmt.Sprintf("%T", s.Pooling)}, Log: log,
		Batches: s.set(d.Train).Batches, Input: func(b fit.Batch, _ float64) ([]any, error) { return s.input(d.Train, b), nil },
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Evaluate returns the share of sets whose outlier is ranked first.
func (n *Network) Evaluate(sets []Set) (float64, error) {
	if len(sets) == 0 {
		return 0, errors.New("no sets")
	}
	right := 0
	err := fit.Predict(n.scores, n.settings.set(sets), func(b fit.Batch, out []any) {
		for i, r := range b.Real() {
			if scores := out[0].([][]float32)[i]; slices.Index(scores, slices.Max(scores)) == sets[r].Outlier {
				right++
			}
		}
	})
	return float64(right) / float64(len(sets)), err
}

// ByDistance returns the share of sets whose outlier is the candidate farthest from the mean of the points. It is about
// chance level, because all candidates lie on one sphere.
func ByDistance(sets []Set) float64 {
	right := 0
	for _, set := range sets {
		mean := make([]float64, len(set.Candidates[0]))
		for _, x := range set.Points {
			for j, v := range x {
				mean[j] += float64(v) / float64(len(set.Points))
			}
		}
		furthest, largest := 0, -1.0
		for i, x := range set.Candidates {
			distance := 0.0
			for j, v := range x {
				distance = math.Hypot(distance, float64(v)-mean[j])
			}
			if distance > largest {
				furthest, largest = i, distance
			}
		}
		if furthest == set.Outlier {
			right++
		}
	}
	return float64(right) / float64(max(1, len(sets)))
}

// set puts sets into batches of two shapes, for small and large ones; a network scores them without knowing the outlier.
func (s Settings) set(sets []Set) fit.Set {
	return fit.Set{
		Lengths: fit.Lengths(sets, func(set Set) int { return len(set.Points) }), Size: s.Batch, Limits: []int{(s.Largest + 1) / 2, s.Largest},
		Input: func(b fit.Batch) ([]any, error) { return s.input(sets, b)[:3], nil },
	}
}

// input pads the points of a batch. It returns the points [batch, points, features], their mask, the candidates [batch,
// candidates, features], and which of them is the outlier [batch, candidates], none in an empty row.
func (s Settings) input(sets []Set, b fit.Batch) []any {
	rows := len(b.Rows)
	points, mask := make([]float32, rows*b.Limit*s.Features), make([]bool, rows*b.Limit)
	candidates, is := make([]float32, rows*s.Candidates*s.Features), make([]bool, rows*s.Candidates)
	for i, set := range fit.Pick(sets, b.Rows) {
		for j, x := range set.Points {
			copy(points[(i*b.Limit+j)*s.Features:], x)
			mask[i*b.Limit+j] = true
		}
		for j, x := range set.Candidates {
			copy(candidates[(i*s.Candidates+j)*s.Features:], x)
		}
		if b.Rows[i] >= 0 {
			is[i*s.Candidates+set.Outlier] = true
		}
	}
	return []any{
		tensors.FromFlatDataAndDimensions(points, rows, b.Limit, s.Features),
		tensors.FromFlatDataAndDimensions(mask, rows, b.Limit),
		tensors.FromFlatDataAndDimensions(candidates, rows, s.Candidates, s.Features),
		tensors.FromFlatDataAndDimensions(is, rows, s.Candidates),
	}
}
