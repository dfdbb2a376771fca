// Package training trains end-to-end memory networks on generated stories.
package training

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/corpus"
	"synpool/course/examples/fit"
	"synpool/course/sequence"
)

// Settings of a training.
type Settings struct {
	fit.Settings
	Stories corpus.Stories
	Count   int // number of training stories; a tenth as many are drawn for testing
	Width   int // number of features of an embedded word
	Hops    int // hops of the network
	Adjust  sequence.Adjustment
	// LinearEpochs is the number of initial epochs without the softmax over the facts.
	LinearEpochs int
}

// Full returns settings for stories that need two hops.
func Full() Settings {
	return Settings{
		Settings: fit.Settings{Rate: 0.003, Clip: 40, Batch: 64, Epochs: 30, Seed: 1},
		Stories:  corpus.DefaultStories(), Count: 10000, Width: 32, Hops: 2, LinearEpochs: 3,
	}
}

// Quick returns settings for fewer passes over fewer stories of fewer people.
func Quick() Settings {
	s := Full()
	s.Count, s.Epochs, s.Stories.Entities = 4000, 20, 3
	return s
}

// Data has the training and test stories.
type Data struct {
	Train, Test []corpus.Story
	Vocabulary  *corpus.Vocabulary
	Answers     []string // by number
}

// ofTest makes the seeds of test stories different from all possible training seeds.
const ofTest = 1 << 63

// Prepare generates stories from the seed. If there are few possible stories, some test stories also occur in training (a
// few percent with three people); they are left out.
func (s Settings) Prepare() (*Data, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	d := &Data{}
	var err error
	if d.Train, err = s.Stories.Generate(s.Count, s.Seed); err != nil {
		return nil, err
	}
	drawn, err := s.Stories.Generate(max(1, s.Count/10), s.Seed|ofTest)
	if err != nil {
		return nil, err
	}
	counts, answers, trained := corpus.Counts{}, map[string]bool{}, map[string]bool{}
	for _, story := range d.Train {
		for _, f := range append(slices.Clip(story.Facts), story.Question) {
			counts.Add(strings.Fields(f)...)
		}
		answers[story.Answer], trained[text(story)] = true, true
	}
	d.Test = slices.DeleteFunc(drawn, func(story corpus.Story) bool { return trained[text(story)] })
	if len(d.Test) == 0 {
		return nil, fmt.Errorf("every story of %d that were drawn to test is one to train on; train on fewer or ask for more people", max(1, s.Count/10))
	}
	d.Answers = slices.Sorted(maps.Keys(answers))
	d.Vocabulary, err = counts.Vocabulary(1, 1000)
	return d, err
}

// text returns the part of a story that a network sees.
func text(s corpus.Story) string { return strings.Join(s.Facts, "\n") + "\n" + s.Question }

// Network is a trained memory network.
type Network struct {
	fit.Kept
	settings Settings
	data     *Data
	predict  *model.Exec
}

// Train trains on the stories of d and writes one line per epoch to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, log io.Writer) (*Network, error) {
	facts := 0
	labels := make([]int, len(d.Train))
	for i, story := range d.Train {
		facts = max(facts, len(story.Facts))
		if labels[i] = slices.Index(d.Answers, story.Answer); labels[i] < 0 {
			return nil, fmt.Errorf("story %d has the answer %q, which is none of %v", i, story.Answer, d.Answers)
		}
	}
	logits := func(scope *model.Scope, in []*Node, linear bool) (y, weights *Node) {
		network := sequence.MemoryNetwork{Words: d.Vocabulary.Len(), Width: s.Width, Sentences: facts, Hops: s.Hops, Answers: len(d.Answers), Linear: linear}
		if !linear {
			network.Adjust = s.Adjust
		}
		mask := func(words *Node) *Node { return GreaterThan(words, ScalarZero(words.Graph(), dtypes.Int32)) }
		return network.Logits(scope, in[0], mask(in[0]), in[1], mask(in[1]), dtypes.Float32)
	}
	// The size of the last input says whether to use the softmax: both graphs share one trainer and one set of variables.
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, _ *Node) *Node {
		y, _ := logits(scope, in, in[3].Shape().Size() == 0)
		return Div(fit.CrossEntropy(y, OneHot(in[2], len(d.Answers), dtypes.Float32)))
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s, data: d}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, in []*Node) (y, weights *Node) {
		fit.Live(scope, in[0].Graph())
		y, weights = logits(scope, in, false)
		return y, ConvertDType(weights, dtypes.Float64)
	}); err != nil {
		return nil, err
	}
	n.predict.SetMaxCache(-1)
	train := d.set(d.Train, s.Batch)
	n.Kept, err = trainer.Run(ctx, fit.Course{
		Name: fmt.Sprintf("%d hops", s.Hops), Settings: s, Log: log, Batches: train.Batches,
		Input: func(b fit.Batch, epochs float64) ([]any, error) {
			in, err := train.Input(b)
			softmax := make([]float32, 1)
			if epochs < float64(s.LinearEpochs) {
				softmax = nil
			}
			return append(in, fit.PickLabels(labels, b.Rows), tensors.FromFlatDataAndDimensions(softmax, len(softmax))), err
		},
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Reading is the output of a network for a story.
type Reading struct {
	Answer  string
	Weights [][]float64 // weight of each fact in each hop, [hops][facts]
}

// Read answers stories.
func (n *Network) Read(stories []corpus.Story) ([]Reading, error) {
	all := make([]Reading, len(stories))
	err := fit.Predict(n.predict, n.data.set(stories, n.settings.Batch), func(b fit.Batch, out []any) {
		logits, weights := out[0].([][]float32), out[1].([][][]float64)
		for i, r := range b.Real() {
			all[r].Answer = n.data.Answers[slices.Index(logits[i], slices.Max(logits[i]))]
			for _, hop := range weights[i] {
				all[r].Weights = append(all[r].Weights, hop[:len(stories[r].Facts)])
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Evaluate returns the share of stories answered correctly and, for each hop, the weight on the fact that the hop should
// attend to: the last hop needs the place, earlier ones the facts that lead to it.
func (n *Network) Evaluate(stories []corpus.Story) (right float64, onSupport []float64, err error) {
	if len(stories) == 0 {
		return 0, nil, errors.New("no stories")
	}
	readings, err := n.Read(stories)
	if err != nil {
		return 0, nil, err
	}
	onSupport = make([]float64, n.settings.Hops)
	for i, r := range readings {
		if r.Answer == stories[i].Answer {
			right += 1 / float64(len(stories))
		}
		for hop := range min(len(onSupport), len(stories[i].Support)) {
			onSupport[hop] += r.Weights[hop][stories[i].Support[hop]] / float64(len(stories))
		}
	}
	return right, onSupport, nil
}

// set puts stories into batches of one shape: every story is padded to the facts of the longest.
func (d *Data) set(stories []corpus.Story, size int) fit.Set {
	lengths := fit.Lengths(stories, func(s corpus.Story) int { return len(s.Facts) })
	return fit.Set{
		Lengths: lengths, Size: size, Limits: []int{slices.Max(append(lengths, 1))},
		Input: func(b fit.Batch) ([]any, error) { return d.input(stories, b) },
	}
}

// input pads the facts and questions of a batch to the words of the longest.
func (d *Data) input(stories []corpus.Story, b fit.Batch) ([]any, error) {
	documents, questions := make([][][]int32, len(b.Rows)), make([][]int32, len(b.Rows))
	longest := 1
	for i, story := range fit.Pick(stories, b.Rows) {
		encode := func(sentence string) []int32 {
			ids := d.Vocabulary.Encode(strings.Fields(sentence))
			longest = max(longest, len(ids))
			return ids
		}
		for _, f := range story.Facts {
			documents[i] = append(documents[i], encode(f))
		}
		questions[i] = encode(story.Question)
	}
	facts, err := fit.Words(corpus.PadDocuments(documents, b.Limit, longest))
	if err != nil {
		return nil, err
	}
	question, err := fit.Words(corpus.Pad(questions, longest))
	return append(facts, question...), err
}
