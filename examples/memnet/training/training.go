// Package training trains end-to-end memory networks on generated stories.
package training

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/corpus"
	"synpool/examples/fit"
	"synpool/synlayer/sequence"
)

// Settings of a training.
type Settings struct {
	Stories corpus.Stories
	Count   int // stories to train on; a tenth as many are to test
	Width   int // features of an embedded word
	Hops    int // of the network
	Adjust  sequence.Adjustment
	// LinearEpochs are the first passes, which leave the softmax over the facts out.
	LinearEpochs int
	Epochs       int // passes in all
	Rate         float64
	Batch        int
	Seed         uint64
}

// Full returns settings for stories that need two hops.
func Full() Settings {
	return Settings{Stories: corpus.DefaultStories(), Count: 10000, Width: 32, Hops: 2, LinearEpochs: 3, Epochs: 30, Rate: 0.003, Batch: 64, Seed: 1}
}

// Quick returns settings for fewer passes over fewer stories of fewer people.
func Quick() Settings {
	s := Full()
	s.Count, s.Epochs, s.Stories.Entities = 4000, 20, 3
	return s
}

// Network is a trained memory network.
type Network struct {
	settings   Settings
	vocabulary *corpus.Vocabulary
	answers    []string
	predict    *model.Exec
	Took       time.Duration
}

// Train makes stories from the seed, trains on them and writes a line every few epochs to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, log io.Writer) (*Network, error) {
	stories, err := s.Stories.Generate(s.Count, s.Seed)
	if err != nil {
		return nil, err
	}
	counts, answers := corpus.Counts{}, corpus.Counts{}
	facts := 0
	for _, story := range stories {
		for _, f := range append(slices.Clip(story.Facts), story.Question) {
			counts.Add(strings.Fields(f)...)
		}
		answers.Add(story.Answer)
		facts = max(facts, len(story.Facts))
	}
	n := &Network{settings: s}
	if n.vocabulary, err = counts.Vocabulary(1, 1000); err != nil {
		return nil, err
	}
	for a := range answers {
		n.answers = append(n.answers, a)
	}
	slices.Sort(n.answers)
	network := sequence.MemoryNetwork{Words: n.vocabulary.Len(), Width: s.Width, Sentences: facts, Hops: s.Hops, Answers: len(n.answers), Adjust: s.Adjust}
	logits := func(scope *model.Scope, in []*Node, linear bool) (y, weights *Node) {
		network := network
		if network.Linear = linear; linear {
			network.Adjust = sequence.Adjustment{}
		}
		real := func(words *Node) *Node { return GreaterThan(words, ScalarZero(words.Graph(), dtypes.Int32)) }
		return network.Logits(scope, in[0], real(in[0]), in[1], real(in[1]), dtypes.Float32)
	}
	// Whether the softmax is there is the batch's last input: both kinds are one set of variables.
	trainer, err := fit.New(backend, fit.Settings{Rate: s.Rate, Clip: 40, Seed: s.Seed}, func(scope *model.Scope, in []*Node, _ *Node) *Node {
		y, _ := logits(scope, in, in[2].Shape().Size() == 0)
		right := OneHot(in[len(in)-1], len(n.answers), dtypes.Float32)
		return Neg(ReduceAllMean(ReduceSum(Mul(right, LogSoftmax(y)), -1)))
	})
	if err != nil {
		return nil, err
	}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, in []*Node) (y, weights *Node) {
		return logits(scope, in, false)
	}); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	start := time.Now()
	for epoch := range s.Epochs {
		rng.Shuffle(len(stories), func(i, j int) { stories[i], stories[j] = stories[j], stories[i] })
		total, steps := 0.0, 0
		for batch := range slices.Chunk(stories, s.Batch) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(batch) < s.Batch {
				break
			}
			in, err := n.batch(batch)
			if err != nil {
				return nil, err
			}
			softmax := make([]float32, 1)
			if epoch < s.LinearEpochs {
				softmax = nil
			}
			labels := make([]int32, len(batch))
			for i, story := range batch {
				labels[i] = int32(slices.Index(n.answers, story.Answer))
			}
			loss, err := trainer.Step(in[0], in[1], tensors.FromFlatDataAndDimensions(softmax, len(softmax)), labels)
			if err != nil {
				return nil, err
			}
			total, steps = total+loss, steps+1
		}
		if (epoch+1)%5 == 0 {
			fmt.Fprintf(log, "%d hops, epoch %d of %d: loss %.3f, %s\n", s.Hops, epoch+1, s.Epochs, total/float64(steps), time.Since(start).Round(time.Second))
		}
	}
	n.Took = time.Since(start)
	return n, nil
}

// Test makes new stories from another seed and returns the share that is answered right, and how much of the weights of each
// hop lies on the fact that the hop should look at: the last needs the place, the ones before what leads to it.
func (n *Network) Test() (right float64, onSupport []float64, err error) {
	stories, err := n.settings.Stories.Generate(max(1, n.settings.Count/10), n.settings.Seed+1)
	if err != nil {
		return 0, nil, err
	}
	onSupport = make([]float64, n.settings.Hops)
	for batch := range slices.Chunk(stories, n.settings.Batch) {
		in, err := n.batch(batch)
		if err != nil {
			return 0, nil, err
		}
		out, err := n.predict.Call(in...)
		if err != nil {
			return 0, nil, err
		}
		weights := out[1].Value().([][][]float32)
		for i, y := range out[0].Value().([][]float32) {
			if n.answers[slices.Index(y, slices.Max(y))] == batch[i].Answer {
				right += 1 / float64(len(stories))
			}
			for hop := range onSupport {
				if hop < len(batch[i].Support) {
					onSupport[hop] += float64(weights[i][hop][batch[i].Support[hop]]) / float64(len(stories))
				}
			}
		}
	}
	return right, onSupport, nil
}

// Look is what each hop weighs in a story.
type Look struct {
	corpus.Story
	Answered string
	Weights  [][]float32 // [hops][facts]
}

// Look answers a story of those that Test makes.
func (n *Network) Look() (Look, error) {
	stories, err := n.settings.Stories.Generate(1, n.settings.Seed+1)
	if err != nil {
		return Look{}, err
	}
	in, err := n.batch(stories)
	if err != nil {
		return Look{}, err
	}
	out, err := n.predict.Call(in...)
	if err != nil {
		return Look{}, err
	}
	y := out[0].Value().([][]float32)[0]
	return Look{stories[0], n.answers[slices.Index(y, slices.Max(y))], out[1].Value().([][][]float32)[0]}, nil
}

// batch pads the facts and questions of stories.
func (n *Network) batch(stories []corpus.Story) ([]any, error) {
	var documents [][][]int32
	var questions [][]int32
	facts, words := 0, 0
	for _, s := range stories {
		var d [][]int32
		for _, f := range s.Facts {
			d = append(d, n.vocabulary.Encode(strings.Fields(f)))
			words = max(words, len(d[len(d)-1]))
		}
		documents, facts = append(documents, d), max(facts, len(d))
		questions = append(questions, n.vocabulary.Encode(strings.Fields(s.Question)))
		words = max(words, len(questions[len(questions)-1]))
	}
	story, err := corpus.PadDocuments(documents, facts, words)
	if err != nil {
		return nil, err
	}
	question, err := corpus.Pad(questions, words)
	if err != nil {
		return nil, err
	}
	return []any{tensors.FromFlatDataAndDimensions(story.IDs, story.Dims...), tensors.FromFlatDataAndDimensions(question.IDs, question.Dims...)}, nil
}
