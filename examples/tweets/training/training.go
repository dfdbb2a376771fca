// Package training trains word attention over a bidirectional LSTM on the tweets of Davidson et al. 2017, beside a bag of words
// in the same split.
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
	Shares     []int // of training, validation and test, each class alike
	Most       int   // tweets that are used, 0 for all
	Longest    int   // words of a tweet that are read
	Vocabulary int   // most words, the most frequent in training
	Embed      int
	Cell       sequence.Cell
	Hidden     int // of the state in one direction
	Attention  sequence.WordAttention
	Spatial    float64 // dropout of the embedded words
	Recurrent  float64 // dropout of the state
	// Sigmoid gives each class a sigmoid of its own, as for texts that may have several labels, in place of one softmax.
	Sigmoid bool
	Rate    float64
	Batch   int
	Epochs  int
	Seed    uint64
}

// Full returns settings for all tweets.
func Full() Settings {
	return Settings{
		Shares: []int{8, 1, 1}, Longest: 40, Vocabulary: 20000, Embed: 100, Cell: sequence.LSTM, Hidden: 64,
		Attention: sequence.WordAttention{Width: 64}, Spatial: 0.3, Recurrent: 0.2, Rate: 1e-3, Batch: 64, Epochs: 6, Seed: 1,
	}
}

// Quick returns settings for a quarter of the tweets and a smaller network.
func Quick() Settings {
	s := Full()
	s.Most, s.Embed, s.Hidden, s.Epochs = 6000, 50, 32, 6
	return s
}

// Data are tweets in parts.
type Data struct {
	Vocabulary *corpus.Vocabulary
	Parts      [3]Part // training, validation, test
}

// Part is tweets with their classes.
type Part struct {
	Words  [][]string
	IDs    [][]int32
	Labels []int
}

// Prepare splits tweets and takes the vocabulary from the training part.
func (s Settings) Prepare(tweets []corpus.Tweet) (*Data, error) {
	if len(s.Shares) != 3 || s.Longest < 1 {
		return nil, fmt.Errorf("shares %v of tweets of up to %d words; want three shares and 1 word or more", s.Shares, s.Longest)
	}
	if s.Most > 0 && s.Most < len(tweets) {
		rng := rand.New(rand.NewPCG(s.Seed, 2))
		tweets = slices.Clone(tweets)
		rng.Shuffle(len(tweets), func(i, j int) { tweets[i], tweets[j] = tweets[j], tweets[i] })
		tweets = tweets[:s.Most]
	}
	labels := make([]int, len(tweets))
	for i, t := range tweets {
		labels[i] = t.Class
	}
	parts, err := corpus.StratifiedSplit(labels, s.Shares, s.Seed)
	if err != nil {
		return nil, err
	}
	d := &Data{}
	counts := corpus.Counts{}
	for p, rows := range parts {
		part := &d.Parts[p]
		for _, i := range rows {
			words := corpus.TweetWords(string(tweets[i].Text))
			part.Words = append(part.Words, words)
			part.Labels = append(part.Labels, labels[i])
			if p == 0 {
				counts.Add(words...)
			}
		}
	}
	if d.Vocabulary, err = counts.Vocabulary(2, s.Vocabulary); err != nil {
		return nil, err
	}
	for p := range d.Parts {
		for _, words := range d.Parts[p].Words {
			d.Parts[p].IDs = append(d.Parts[p].IDs, d.Vocabulary.Encode(words[:min(len(words), s.Longest)]))
		}
	}
	return d, nil
}

// Baseline is the bag of words on the same test part.
func Baseline(d *Data) (corpus.Report, error) {
	m, err := corpus.DefaultBagOfWords().Fit(d.Parts[0].Words, d.Parts[0].Labels, len(corpus.TweetClasses))
	if err != nil {
		return corpus.Report{}, err
	}
	var scores [][]float64
	for _, words := range d.Parts[2].Words {
		p, err := m.Probabilities(words)
		if err != nil {
			return corpus.Report{}, err
		}
		scores = append(scores, p)
	}
	return corpus.Evaluate(d.Parts[2].Labels, scores)
}

// Network is a trained classifier of tweets.
type Network struct {
	settings Settings
	data     *Data
	predict  *model.Exec
	Epoch    int           // that was kept, from 1
	Took     time.Duration // of the training
}

// Train trains the network, every class with the same weight in all, and keeps the epoch with the best macro-F1 on the
// validation part. It writes a line an epoch to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, log io.Writer) (*Network, error) {
	classes := len(corpus.TweetClasses)
	classifier := sequence.Classifier{
		Embedding: sequence.Embedding{Words: d.Vocabulary.Len(), Width: s.Embed}, Dropout: s.Spatial,
		Encoder: &sequence.RNN{Cell: s.Cell, Hidden: s.Hidden, Bidirectional: true, Dropout: s.Recurrent},
		Pooling: s.Attention, Classes: classes,
	}
	logits := func(scope *model.Scope, words, key *Node) (logits, weights *Node) {
		mask := GreaterThan(words, ScalarZero(words.Graph(), dtypes.Int32))
		return classifier.Logits(scope, words, mask, key, dtypes.Float32)
	}
	trainer, err := fit.New(backend, fit.Settings{Rate: s.Rate, Clip: 1, Seed: s.Seed}, func(scope *model.Scope, in []*Node, key *Node) *Node {
		y, _ := logits(scope, in[0], key)
		right := OneHot(in[1], classes, dtypes.Float32)
		losses := Neg(ReduceSum(Mul(right, LogSoftmax(y)), -1))
		if s.Sigmoid {
			// −log σ(y) where the label is there, −log σ(−y) where it is not.
			signed := Mul(y, SubScalar(MulScalar(right, 2), 1))
			losses = ReduceSum(Neg(logSigmoid(signed)), -1)
		}
		return Div(ReduceAllSum(Mul(losses, in[2])), MaxScalar(ReduceAllSum(in[2]), 1e-6))
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s, data: d}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, words *Node) (scores, weights *Node) {
		y, weights := logits(scope, words, nil)
		if s.Sigmoid {
			return Sigmoid(y), weights
		}
		return Softmax(y), weights
	}); err != nil {
		return nil, err
	}
	n.predict.SetMaxCache(-1)

	train := d.Parts[0]
	counts := make([]float64, classes)
	for _, y := range train.Labels {
		counts[y]++
	}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	start := time.Now()
	best := -1.0
	var state fit.State
	for epoch := range s.Epochs {
		batches, err := s.batches(train, rng)
		if err != nil {
			return nil, err
		}
		total := 0.0
		for _, b := range batches {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			labels, weights := make([]int32, len(b.Rows)), make([]float32, len(b.Rows))
			for i, r := range b.Rows {
				if r >= 0 {
					labels[i] = int32(train.Labels[r])
					weights[i] = float32(float64(len(train.Labels)) / (float64(classes) * counts[train.Labels[r]]))
				}
			}
			loss, err := trainer.Step(words(train, b), labels, weights)
			if err != nil {
				return nil, err
			}
			total += loss / float64(len(batches))
		}
		report, err := n.Evaluate(d.Parts[1])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(log, "epoch %d of %d: loss %.3f, macro-F1 of the validation part %.3f, %s\n", epoch+1, s.Epochs, total, report.MacroF1, time.Since(start).Round(time.Second))
		if report.MacroF1 > best {
			best, n.Epoch = report.MacroF1, epoch+1
			if state, err = trainer.State(); err != nil {
				return nil, err
			}
		}
	}
	n.Took = time.Since(start)
	return n, trainer.Restore(state)
}

// logSigmoid is log σ(x), stable for any x.
func logSigmoid(x *Node) *Node {
	return Sub(MinScalar(x, 0), Log1P(Exp(Neg(Abs(x)))))
}

// Evaluate returns figures of a part.
func (n *Network) Evaluate(part Part) (corpus.Report, error) {
	batches, err := n.settings.batches(part, nil)
	if err != nil {
		return corpus.Report{}, err
	}
	scores := make([][]float64, len(part.Labels))
	for _, b := range batches {
		out, err := n.predict.Call(words(part, b))
		if err != nil {
			return corpus.Report{}, err
		}
		for i, row := range out[0].Value().([][]float32) {
			if r := b.Rows[i]; r >= 0 {
				for _, v := range row {
					scores[r] = append(scores[r], float64(v))
				}
			}
		}
	}
	return corpus.Evaluate(part.Labels, scores)
}

// Importance is a word of a text and what it weighs in it.
type Importance struct {
	Word   string
	Weight float64
}

// Importances returns the scores of the classes and the weight of each word of a text, up to the longest that is read.
func (n *Network) Importances(text string) (scores []float64, words []Importance, err error) {
	found := corpus.TweetWords(text)
	found = found[:min(len(found), n.settings.Longest)]
	ids := make([]int32, n.settings.Longest)
	copy(ids, n.data.Vocabulary.Encode(found))
	out, err := n.predict.Call([][]int32{ids})
	if err != nil {
		return nil, nil, err
	}
	for _, v := range out[0].Value().([][]float32)[0] {
		scores = append(scores, float64(v))
	}
	weights := out[1].Value().([][][]float32)[0][0]
	for i, w := range found {
		words = append(words, Importance{w, float64(weights[i])})
	}
	return scores, words, nil
}

// WordImportance is what a word weighs in the texts that have it, against the mean word of the same text.
type WordImportance struct {
	Word  string
	Times int
	Mean  float64 // of weight · words of the text: 1 for the mean word
}

// TopWords returns the words with the largest mean weights of those that at least atLeast texts of a class in a part have,
// masked where they are offensive.
func (n *Network) TopWords(part Part, class, atLeast, most int) ([]WordImportance, error) {
	sums, times := map[string]float64{}, map[string]int{}
	batches, err := n.settings.batches(part, nil)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		out, err := n.predict.Call(words(part, b))
		if err != nil {
			return nil, err
		}
		weights := out[1].Value().([][][]float32)
		for i, r := range b.Rows {
			if r < 0 || part.Labels[r] != class {
				continue
			}
			for j := range part.IDs[r] {
				w := part.Words[r][j]
				sums[w] += float64(weights[i][0][j]) * float64(len(part.IDs[r]))
				times[w]++
			}
		}
	}
	var top []WordImportance
	for w, n := range times {
		if n >= atLeast {
			top = append(top, WordImportance{corpus.Mask(w), n, sums[w] / float64(n)})
		}
	}
	slices.SortFunc(top, func(a, b WordImportance) int {
		switch {
		case a.Mean > b.Mean:
			return -1
		case a.Mean < b.Mean:
			return 1
		}
		return strings.Compare(a.Word, b.Word)
	})
	return top[:min(most, len(top))], nil
}

func (s Settings) batches(part Part, rng *rand.Rand) ([]fit.Batch, error) {
	lengths := make([]int, len(part.IDs))
	for i, ids := range part.IDs {
		lengths[i] = len(ids)
	}
	return fit.Batches(lengths, s.Batch, []int{(s.Longest + 1) / 2, s.Longest}, rng)
}

// words pads the tweets of a batch.
func words(part Part, b fit.Batch) *tensors.Tensor {
	ids := make([]int32, len(b.Rows)*b.Limit)
	for i, row := range fit.Pick(part.IDs, b.Rows) {
		copy(ids[i*b.Limit:], row)
	}
	return tensors.FromFlatDataAndDimensions(ids, len(b.Rows), b.Limit)
}
