// Package training trains deep sets (Zaheer et al. 2017) to rank outliers of generated sets, and to estimate a statistic of
// the population that a set is drawn from.
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
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.Candidates < 2 {
		return nil, fmt.Errorf("%d candidates; want 2 or more", s.Candidates)
	}
	return &Data{s.draw(s.Sets, 1), s.draw(s.Sets/10, 2)}, nil
}

// check reports the first invalid setting of the sets.
func (s Settings) check() error {
	const most = 1 << 20
	if s.Sets < 10 || s.Smallest < 1 || s.Largest < s.Smallest || s.Features < 1 || max(s.Sets, s.Largest, s.Candidates, s.Features) > most {
		return fmt.Errorf("%d sets of %d to %d points with %d features, %d candidates; want 10 sets, 1 point, 1 feature or more, at most %d of each",
			s.Sets, s.Smallest, s.Largest, s.Features, s.Candidates, most)
	}
	return s.Check()
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

// trained is a trained deep sets network.
type trained struct {
	fit.Kept
	settings Settings
	find     *model.Exec
}

// train trains the network f that a graph is built of, with one number per set, and writes one line per epoch to log,
// beginning with name. find is what is asked of it later, and loss what it learns from.
func (s Settings) train(ctx context.Context, backend compute.Backend, name string, log io.Writer, sets fit.Set,
	find func(f sequence.DeepSets, scope *model.Scope, in []*Node) *Node, loss func(found *Node, in []*Node) *Node) (n trained, err error) {
	if s.Pooling == nil || s.Width < 1 {
		return n, fmt.Errorf("a pooling %v and layers of %d features; want a pooling, and 1 feature or more", s.Pooling, s.Width)
	}
	n.settings = s
	f := sequence.DeepSets{Element: []int{s.Width, s.Width}, Pooling: s.Pooling, Set: []int{s.Width, 1}}
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, _ *Node) *Node {
		return loss(find(f, scope, in), in)
	})
	if err != nil {
		return n, err
	}
	if n.find, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, in []*Node) *Node {
		fit.Live(scope, in[0].Graph())
		return find(f, scope, in)
	}); err != nil {
		return n, err
	}
	n.find.SetMaxCache(-1)
	n.Kept, err = trainer.Run(ctx, fit.Course{
		Name: name, Settings: []any{s, fmt.Sprintf("%T", s.Pooling)}, Log: log,
		Batches: sets.Batches, Input: func(b fit.Batch, _ float64) ([]any, error) { return sets.Input(b) },
	})
	return n, err
}

// Network is a network that ranks candidates.
type Network struct{ trained }

// Train trains a network to score the outlier above the other candidates, and writes one line per epoch to log, beginning
// with name.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, name string, log io.Writer) (*Network, error) {
	n, err := s.train(ctx, backend, name, log, s.set(d.Train), func(f sequence.DeepSets, scope *model.Scope, in []*Node) *Node {
		return f.Scores(scope, synlayer.Bags{X: in[0], Mask: in[1]}, in[2])
	}, func(scores *Node, in []*Node) *Node { return sequence.RankingLoss(scores, in[3], 1) })
	return &Network{n}, err
}

// Scores returns the scores of each set's candidates; a large one says outlier.
func (n *Network) Scores(sets []Set) ([][]float32, error) {
	scores := make([][]float32, len(sets))
	set := n.settings.set(sets)
	all := set.Input
	set.Input = func(b fit.Batch) ([]any, error) { // without knowing the outlier
		in, err := all(b)
		return in[:3], err
	}
	return scores, fit.Predict(n.find, set, func(b fit.Batch, out []any) {
		for i, r := range b.Real() {
			scores[r] = out[0].([][]float32)[i]
		}
	})
}

// Evaluate returns the share of sets whose outlier is ranked first.
func (n *Network) Evaluate(sets []Set) (float64, error) {
	if len(sets) == 0 {
		return 0, errors.New("no sets")
	}
	scores, err := n.Scores(sets)
	if err != nil {
		return 0, err
	}
	right := 0
	for i, set := range sets {
		if slices.Index(scores[i], slices.Max(scores[i])) == set.Outlier {
			right++
		}
	}
	return float64(right) / float64(len(sets)), nil
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

// set puts sets into batches, as the input of a training.
func (s Settings) set(sets []Set) fit.Set {
	return s.batches(fit.Lengths(sets, func(set Set) int { return len(set.Points) }),
		func(b fit.Batch) ([]any, error) { return s.input(sets, b), nil })
}

// batches puts sets of these numbers of points into batches of two shapes, for small and large ones.
func (s Settings) batches(points []int, input func(b fit.Batch) ([]any, error)) fit.Set {
	return fit.Set{Lengths: points, Size: s.Batch, Limits: []int{(s.Largest + 1) / 2, s.Largest}, Input: input}
}

// input returns the points and the mask of a batch (padded), the candidates [batch, candidates, features], and which of
// them is the outlier [batch, candidates], none in an empty row.
func (s Settings) input(sets []Set, b fit.Batch) []any {
	rows := len(b.Rows)
	candidates, is := make([]float32, rows*s.Candidates*s.Features), make([]bool, rows*s.Candidates)
	for i, r := range b.Real() {
		for j, x := range sets[r].Candidates {
			copy(candidates[(i*s.Candidates+j)*s.Features:], x)
		}
		is[i*s.Candidates+sets[r].Outlier] = true
	}
	return append(s.padded(b, func(r int) [][]float32 { return sets[r].Points }),
		tensors.FromFlatDataAndDimensions(candidates, rows, s.Candidates, s.Features),
		tensors.FromFlatDataAndDimensions(is, rows, s.Candidates))
}

// padded returns the points [batch, points, features] of the sets of a batch, and their mask.
func (s Settings) padded(b fit.Batch, points func(set int) [][]float32) []any {
	rows := len(b.Rows)
	flat, mask := make([]float32, rows*b.Limit*s.Features), make([]bool, rows*b.Limit)
	for i, r := range b.Real() {
		for j, x := range points(r) {
			copy(flat[(i*b.Limit+j)*s.Features:], x)
			mask[i*b.Limit+j] = true
		}
	}
	return []any{
		tensors.FromFlatDataAndDimensions(flat, rows, b.Limit, s.Features),
		tensors.FromFlatDataAndDimensions(mask, rows, b.Limit),
	}
}
