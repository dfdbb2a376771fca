// Package training trains hierarchical attention, and attention over all words of a document, on the film reviews of Pang and
// Lee 2004, beside a bag of words in the same split.
package training

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
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
	Sentences  int // of a review that are read, from its end, where reviews sum up
	Words      int // of a sentence that are read
	Vocabulary int // most words, the most frequent in training
	Embed      int
	Attention  sequence.HierarchicalAttention
	Document   sequence.DocumentAttention
	Dropout    float64 // spatial, of the embedded words
	Rate       float64
	Batch      int
	Epochs     int
	Fold       int // of the authors' ten: it is the test, the next one the validation part
	Seed       uint64
}

// Full returns the paper's network on most of each review.
func Full() Settings {
	return Settings{
		Sentences: 40, Words: 30, Vocabulary: 20000, Embed: 100, Attention: sequence.DefaultHierarchicalAttention(),
		Document: sequence.DocumentAttention{Width: 100}, Dropout: 0.3, Rate: 1e-3, Batch: 16, Epochs: 10, Seed: 1,
	}
}

// Quick returns a smaller network on less of each review.
func Quick() Settings {
	s := Full()
	s.Sentences, s.Words, s.Embed, s.Vocabulary, s.Epochs = 15, 20, 50, 10000, 6
	s.Attention.Words.Hidden, s.Attention.Sentences.Hidden = 25, 25
	return s
}

// Data are reviews in parts.
type Data struct {
	Vocabulary *corpus.Vocabulary
	Parts      [3]Part // training, validation, test
}

// Part is reviews with their classes.
type Part struct {
	Reviews []corpus.Review
	IDs     [][][]int32 // the sentences that are read
	Labels  []int
}

// Prepare splits reviews by the authors' folds, 1600, 200 and 200, and takes the vocabulary from the training part.
func (s Settings) Prepare(reviews []corpus.Review) (*Data, error) {
	if s.Fold < 0 || s.Fold > 9 || s.Sentences < 1 || s.Words < 1 {
		return nil, fmt.Errorf("fold %d, %d sentences of %d words; want a fold from 0 to 9 and 1 or more of each", s.Fold, s.Sentences, s.Words)
	}
	d := &Data{}
	counts := corpus.Counts{}
	for _, r := range reviews {
		part := &d.Parts[0]
		switch r.Fold {
		case s.Fold:
			part = &d.Parts[2]
		case (s.Fold + 1) % 10:
			part = &d.Parts[1]
		default:
			for _, sentence := range r.Sentences {
				counts.Add(sentence...)
			}
		}
		part.Reviews, part.Labels = append(part.Reviews, r), append(part.Labels, r.Class)
	}
	var err error
	if d.Vocabulary, err = counts.Vocabulary(2, s.Vocabulary); err != nil {
		return nil, err
	}
	for p := range d.Parts {
		for _, r := range d.Parts[p].Reviews {
			read := r.Sentences[max(0, len(r.Sentences)-s.Sentences):]
			d.Parts[p].IDs = append(d.Parts[p].IDs, corpus.Truncate(d.Vocabulary.EncodeDocument(read), s.Words))
		}
	}
	return d, nil
}

// Baseline is the bag of words, of all words, on the same test part.
func Baseline(d *Data) (corpus.Report, error) {
	flat := func(p Part) [][]string {
		var texts [][]string
		for _, r := range p.Reviews {
			texts = append(texts, slices.Concat(r.Sentences...))
		}
		return texts
	}
	m, err := corpus.DefaultBagOfWords().Fit(flat(d.Parts[0]), d.Parts[0].Labels, 2)
	if err != nil {
		return corpus.Report{}, err
	}
	var scores [][]float64
	for _, words := range flat(d.Parts[2]) {
		p, err := m.Probabilities(words)
		if err != nil {
			return corpus.Report{}, err
		}
		scores = append(scores, p)
	}
	return corpus.Evaluate(d.Parts[2].Labels, scores)
}

// Network is a trained classifier of reviews.
type Network struct {
	settings Settings
	predict  *model.Exec
	Epoch    int           // that was kept, from 1
	Took     time.Duration // of the training
}

// Train trains hierarchical attention or, if flat, attention over all words as one sentence, and keeps the epoch with the best
// accuracy on the validation part. It writes a line an epoch to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, flat bool, log io.Writer) (*Network, error) {
	embedding := sequence.Embedding{Words: d.Vocabulary.Len(), Width: s.Embed}
	logits := func(scope *model.Scope, ids, key *Node) (y, words, sentences *Node) {
		mask := GreaterThan(ids, ScalarZero(ids.Graph(), dtypes.Int32))
		if !flat {
			c := sequence.DocumentClassifier{Embedding: embedding, Dropout: s.Dropout, Attention: s.Attention, Classes: 2}
			return c.Logits(scope, ids, mask, key, dtypes.Float32)
		}
		c := sequence.Classifier{Embedding: embedding, Dropout: s.Dropout, Pooling: s.Document, Classes: 2}
		dims := ids.Shape().Dimensions
		y, words = c.Logits(scope, Reshape(ids, dims[0], -1), Reshape(mask, dims[0], -1), key, dtypes.Float32)
		words = Reshape(words, dims...)
		return y, words, ReduceSum(words, -1)
	}
	trainer, err := fit.New(backend, fit.Settings{Rate: s.Rate, Clip: 1, Seed: s.Seed}, func(scope *model.Scope, in []*Node, key *Node) *Node {
		y, _, _ := logits(scope, in[0], key)
		losses := Neg(ReduceSum(Mul(OneHot(in[1], 2, dtypes.Float32), LogSoftmax(y)), -1))
		return ReduceAllMean(losses)
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, ids *Node) []*Node {
		y, words, sentences := logits(scope, ids, nil)
		return []*Node{Softmax(y), words, sentences}
	}); err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	start := time.Now()
	best := -1.0
	var state fit.State
	order := make([]int, len(d.Parts[0].IDs))
	for i := range order {
		order[i] = i
	}
	for epoch := range s.Epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		total, steps := 0.0, 0
		for rows := range slices.Chunk(order, s.Batch) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if len(rows) < s.Batch {
				break
			}
			ids, err := s.batch(d.Parts[0], rows)
			if err != nil {
				return nil, err
			}
			labels := make([]int32, len(rows))
			for i, r := range rows {
				labels[i] = int32(d.Parts[0].Labels[r])
			}
			loss, err := trainer.Step(ids, labels)
			if err != nil {
				return nil, err
			}
			total, steps = total+loss, steps+1
		}
		report, err := n.Evaluate(d.Parts[1])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(log, "epoch %d of %d: loss %.3f, accuracy on the validation part %.3f, %s\n", epoch+1, s.Epochs, total/float64(max(1, steps)), report.Accuracy, time.Since(start).Round(time.Second))
		if report.Accuracy > best {
			best, n.Epoch = report.Accuracy, epoch+1
			if state, err = trainer.State(); err != nil {
				return nil, err
			}
		}
	}
	n.Took = time.Since(start)
	return n, trainer.Restore(state)
}

// Reading is what a network made of a review.
type Reading struct {
	Scores    []float64   // of the classes
	Sentences []float64   // the weight of each sentence that was read
	Words     [][]float64 // the weight of each word that was read
}

// Read returns the readings of a part.
func (n *Network) Read(part Part) ([]Reading, error) {
	var all []Reading
	rows := make([]int, len(part.IDs))
	for i := range rows {
		rows[i] = i
	}
	for rows := range slices.Chunk(rows, n.settings.Batch) {
		padded := append(slices.Clone(rows), slices.Repeat([]int{-1}, n.settings.Batch-len(rows))...)
		ids, err := n.settings.batch(part, padded)
		if err != nil {
			return nil, err
		}
		out, err := n.predict.Call(ids)
		if err != nil {
			return nil, err
		}
		scores, words, sentences := out[0].Value().([][]float32), out[1].Value().([][][]float32), out[2].Value().([][]float32)
		for i, r := range rows {
			reading := Reading{Scores: wide(scores[i]), Sentences: wide(sentences[i][:len(part.IDs[r])])}
			for j, sentence := range part.IDs[r] {
				reading.Words = append(reading.Words, wide(words[i][j][:len(sentence)]))
			}
			all = append(all, reading)
		}
	}
	return all, nil
}

// Evaluate returns figures of a part.
func (n *Network) Evaluate(part Part) (corpus.Report, error) {
	readings, err := n.Read(part)
	if err != nil {
		return corpus.Report{}, err
	}
	var scores [][]float64
	for _, r := range readings {
		scores = append(scores, r.Scores)
	}
	return corpus.Evaluate(part.Labels, scores)
}

// batch pads the reviews of rows, -1 for an empty one.
func (s Settings) batch(part Part, rows []int) (*tensors.Tensor, error) {
	b, err := corpus.PadDocuments(fit.Pick(part.IDs, rows), s.Sentences, s.Words)
	if err != nil {
		return nil, err
	}
	return tensors.FromFlatDataAndDimensions(b.IDs, b.Dims...), nil
}

func wide(narrow []float32) []float64 {
	values := make([]float64, len(narrow))
	for i, v := range narrow {
		values[i] = float64(v)
	}
	return values
}
