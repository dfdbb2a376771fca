// Package training trains hierarchical attention, and attention over all words of a document, on the film reviews of Pang
// and Lee 2004, with a bag-of-words baseline on the same split.
package training

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/corpus"
	"synpool/course/examples/fit"
	"synpool/course/sequence"
)

// Settings of a training.
type Settings struct {
	fit.Settings
	Sentences  int // maximum number of sentences read per review, from its end, where reviews sum up
	Words      int // maximum number of words read per sentence
	Vocabulary int // maximum vocabulary: the most frequent words in training
	Embed      int
	Flat       bool // attention over all words as one sentence (Document) instead of the hierarchical Attention
	Attention  sequence.HierarchicalAttention
	Document   sequence.DocumentAttention
	Dropout    float64 // spatial dropout of the embedded words
	Fold       int     // which of the authors' ten folds is the test part; the next one is the validation part
}

// Full returns the paper's network on most of each review.
func Full() Settings {
	return Settings{
		Settings:  fit.Settings{Rate: 1e-3, Clip: 1, Batch: 16, Epochs: 10, Seed: 1},
		Sentences: 40, Words: 30, Vocabulary: 20000, Embed: 100, Attention: sequence.DefaultHierarchicalAttention(),
		Document: sequence.DocumentAttention{Width: 100}, Dropout: 0.3,
	}
}

// Quick returns a smaller network on less of each review.
func Quick() Settings {
	s := Full()
	s.Sentences, s.Words, s.Embed, s.Vocabulary, s.Epochs = 15, 20, 50, 10000, 6
	s.Attention.Words.Hidden, s.Attention.Sentences.Hidden = 25, 25
	return s
}

// Data has the reviews, split into parts.
type Data struct {
	Vocabulary *corpus.Vocabulary
	Parts      [3]Part // training, validation, test
}

// Part has reviews with their classes.
type Part struct {
	Reviews []corpus.Review
	IDs     [][][]int32 // the sentences that the network reads
	Labels  []int
}

// Prepare splits reviews by the authors' folds (2,000 into 1,600, 200 and 200) and builds the vocabulary from the training
// part.
func (s Settings) Prepare(reviews []corpus.Review) (*Data, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
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

// Baseline evaluates a bag-of-words model of all words on the same test part. Single words and C = 10 are best on a
// validation part of the reviews (BenchmarkSelection of package corpus).
func Baseline(d *Data) (corpus.Report, error) {
	bag := corpus.DefaultBagOfWords()
	bag.Longest, bag.Logistic.C = 1, 10
	words := func(p Part) [][]string {
		texts := make([][]string, len(p.Reviews))
		for i, r := range p.Reviews {
			texts[i] = slices.Concat(r.Sentences...)
		}
		return texts
	}
	train, test := d.Parts[0], d.Parts[2]
	m, err := bag.Fit(words(train), train.Labels, 2)
	if err != nil {
		return corpus.Report{}, err
	}
	return m.Evaluate(words(test), test.Labels)
}

// Network is a trained classifier of reviews.
type Network struct {
	fit.Kept
	settings Settings
	predict  *model.Exec
}

// Train trains a network and keeps the epoch with the best accuracy on the validation part. It writes one line per epoch to
// log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, log io.Writer) (*Network, error) {
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, key *Node) *Node {
		y, _, _ := s.logits(d, scope, in[0], key)
		return Div(fit.CrossEntropy(y, OneHot(in[1], 2, dtypes.Float32)))
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, ids *Node) []*Node {
		fit.Live(scope, ids.Graph())
		y, words, sentences := s.logits(d, scope, ids, nil)
		out := []*Node{Softmax(y), words, sentences}
		for i, x := range out {
			out[i] = ConvertDType(x, dtypes.Float64)
		}
		return out
	}); err != nil {
		return nil, err
	}
	train := s.set(d.Parts[0])
	n.Kept, err = trainer.Run(ctx, fit.Course{
		Name: s.name(), Settings: s, Log: log, Batches: train.Batches,
		Input: func(b fit.Batch, _ float64) ([]any, error) {
			in, err := train.Input(b)
			return append(in, fit.PickLabels(d.Parts[0].Labels, b.Rows)), err
		},
		Validate: func() (float64, string, error) {
			r, err := n.Evaluate(d.Parts[1])
			return r.Accuracy, fmt.Sprintf("accuracy on the validation part %.3f", r.Accuracy), err
		},
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (s Settings) name() string {
	if s.Flat {
		return "attention over all words"
	}
	return "hierarchical attention"
}

// logits returns the logits of the classes [batch, 2] and the weights of the words [batch, sentences, words] and of the
// sentences [batch, sentences].
func (s Settings) logits(d *Data, scope *model.Scope, ids, key *Node) (y, words, sentences *Node) {
	embedding := sequence.Embedding{Words: d.Vocabulary.Len(), Width: s.Embed}
	mask := GreaterThan(ids, ScalarZero(ids.Graph(), dtypes.Int32))
	if !s.Flat {
		c := sequence.DocumentClassifier{Embedding: embedding, Dropout: s.Dropout, Attention: s.Attention, Classes: 2}
		return c.Logits(scope, ids, mask, key, dtypes.Float32)
	}
	c := sequence.Classifier{Embedding: embedding, Dropout: s.Dropout, Pooling: s.Document, Classes: 2}
	dims := ids.Shape().Dimensions
	y, words = c.Logits(scope, Reshape(ids, dims[0], -1), Reshape(mask, dims[0], -1), key, dtypes.Float32)
	words = Reshape(words, dims...)
	return y, words, ReduceSum(words, -1)
}

// Reading is the output of a network for a review.
type Reading struct {
	Scores    []float64   // scores of the classes
	Sentences []float64   // the weight of each sentence that was read
	Words     [][]float64 // the weight of each word that was read
}

// Read returns the readings of a part.
func (n *Network) Read(part Part) ([]Reading, error) {
	all := make([]Reading, len(part.IDs))
	err := fit.Predict(n.predict, n.settings.set(part), func(b fit.Batch, out []any) {
		scores, words, sentences := out[0].([][]float64), out[1].([][][]float64), out[2].([][]float64)
		for i, r := range b.Real() {
			reading := Reading{Scores: scores[i], Sentences: sentences[i][:len(part.IDs[r])]}
			for j, sentence := range part.IDs[r] {
				reading.Words = append(reading.Words, words[i][j][:len(sentence)])
			}
			all[r] = reading
		}
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// ReadWithout returns, for each review of a part and each sentence that the network reads, the reading without that
// sentence.
func (n *Network) ReadWithout(part Part) ([][]Reading, error) {
	all := make([][]Reading, len(part.IDs))
	for left := true; left; {
		left = false
		var shorter Part
		var of []int // index of the full review of each shortened one
		for i, sentences := range part.IDs {
			if out := len(all[i]); out < len(sentences) {
				left, of = true, append(of, i)
				shorter.IDs = append(shorter.IDs, slices.Delete(slices.Clone(sentences), out, out+1))
			}
		}
		readings, err := n.Read(shorter)
		if err != nil {
			return nil, err
		}
		for j, i := range of {
			all[i] = append(all[i], readings[j])
		}
	}
	return all, nil
}

// Evaluate returns the scores of the network on a part.
func (n *Network) Evaluate(part Part) (corpus.Report, error) {
	readings, err := n.Read(part)
	if err != nil {
		return corpus.Report{}, err
	}
	scores := make([][]float64, len(readings))
	for i, r := range readings {
		scores[i] = r.Scores
	}
	return corpus.Evaluate(part.Labels, scores)
}

// set puts reviews into batches of one shape: every review is padded to the same number of sentences.
func (s Settings) set(part Part) fit.Set {
	return fit.Set{
		Lengths: fit.Lengths(part.IDs, func(sentences [][]int32) int { return len(sentences) }), Size: s.Batch, Limits: []int{s.Sentences},
		Input: func(b fit.Batch) ([]any, error) {
			return fit.Words(corpus.PadDocuments(fit.Pick(part.IDs, b.Rows), b.Limit, s.Words))
		},
	}
}
