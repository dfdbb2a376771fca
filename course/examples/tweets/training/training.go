// Package training trains word attention over a bidirectional LSTM on the tweets of Davidson et al. 2017, with a
// bag-of-words baseline on the same split.
package training

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
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
	Most       int // maximum number of tweets, 0 for all
	Longest    int // maximum number of words read per tweet
	Vocabulary int // maximum vocabulary: the most frequent words in training
	Embed      int
	Cell       sequence.Cell
	Hidden     int // features of the state, per direction
	Attention  sequence.WordAttention
	Spatial    float64 // dropout of the embedded words
	Recurrent  float64 // dropout of the state
	// Sigmoid gives each class its own sigmoid, as for texts that may have several labels, instead of one softmax.
	Sigmoid bool
}

// Full returns settings for all tweets.
func Full() Settings {
	return Settings{
		Settings: fit.Settings{Rate: 1e-3, Clip: 1, Batch: 64, Epochs: 6, Seed: 1},
		Longest:  40, Vocabulary: 20000, Embed: 100, Cell: sequence.LSTM, Hidden: 64,
		Attention: sequence.WordAttention{Width: 64}, Spatial: 0.3, Recurrent: 0.2,
	}
}

// Quick returns settings for a quarter of the tweets and a smaller network.
func Quick() Settings {
	s := Full()
	s.Most, s.Embed, s.Hidden = 6000, 50, 32
	return s
}

// Data has the tweets, split into parts.
type Data struct {
	Vocabulary *corpus.Vocabulary
	Parts      [3]Part // training, validation, test
}

// Part has tweets with their classes.
type Part struct {
	Texts  []corpus.Masked
	IDs    [][]int32 // the words that the network reads
	Labels []int
}

// words returns the words of each text.
func (p Part) words() [][]string {
	words := make([][]string, len(p.Texts))
	for i, t := range p.Texts {
		words[i] = corpus.TweetWords(t.Raw())
	}
	return words
}

// Prepare splits tweets 8:1:1, the same in each class, and builds the vocabulary from the training part.
func (s Settings) Prepare(tweets []corpus.Tweet) (*Data, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Longest < 1 {
		return nil, fmt.Errorf("tweets of up to %d words; want 1 word or more", s.Longest)
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
	parts, err := corpus.StratifiedSplit(labels, []int{8, 1, 1}, s.Seed)
	if err != nil {
		return nil, err
	}
	d := &Data{}
	for p, rows := range parts {
		for _, i := range rows {
			d.Parts[p].Texts, d.Parts[p].Labels = append(d.Parts[p].Texts, tweets[i].Text), append(d.Parts[p].Labels, labels[i])
		}
	}
	counts := corpus.Counts{}
	for _, words := range d.Parts[0].words() {
		counts.Add(words...)
	}
	if d.Vocabulary, err = counts.Vocabulary(2, s.Vocabulary); err != nil {
		return nil, err
	}
	for p := range d.Parts {
		d.Parts[p].IDs = corpus.Truncate(d.Vocabulary.EncodeDocument(d.Parts[p].words()), s.Longest)
	}
	return d, nil
}

// Baseline evaluates the bag-of-words model on the same test part, with the settings that are best on a validation part of
// the tweets ([corpus.DefaultBagOfWords]).
func Baseline(d *Data) (corpus.Report, error) {
	train, test := d.Parts[0], d.Parts[2]
	m, err := corpus.DefaultBagOfWords().Fit(train.words(), train.Labels, len(corpus.TweetClasses))
	if err != nil {
		return corpus.Report{}, err
	}
	return m.Evaluate(test.words(), test.Labels)
}

// Network is a trained classifier of tweets.
type Network struct {
	fit.Kept
	settings Settings
	data     *Data
	predict  *model.Exec
}

// Train trains the network with the same total weight for every class ([fit.BalancedLabels] for sigmoids), and keeps the
// epoch with the best macro-F1 on the validation part. It writes one line per epoch to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, log io.Writer) (*Network, error) {
	train, classes := d.Parts[0], len(corpus.TweetClasses)
	counts, weights := make([]int, classes), make([]float32, classes)
	for _, y := range train.Labels {
		counts[y]++
	}
	for k, n := range counts {
		weights[k] = float32(len(train.Labels)) / float32(classes*max(1, n))
	}
	there, absent := fit.BalancedLabels(counts, len(train.Labels))
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, key *Node) *Node {
		y, _ := s.logits(d, scope, in[0], key)
		right := OneHot(in[1], classes, dtypes.Float32)
		if s.Sigmoid {
			return Div(fit.BinaryCrossEntropy(y, right, ReduceSum(right, -1), there, absent))
		}
		return Div(fit.CrossEntropy(y, Mul(right, ExpandAxes(Const(y.Graph(), weights), 0))))
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s, data: d}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, words *Node) (scores, weights *Node) {
		fit.Live(scope, words.Graph())
		y, weights := s.logits(d, scope, words, nil)
		if s.Sigmoid {
			scores = Sigmoid(y)
		} else {
			scores = Softmax(y)
		}
		return ConvertDType(scores, dtypes.Float64), ConvertDType(Squeeze(weights, 1), dtypes.Float64)
	}); err != nil {
		return nil, err
	}
	n.predict.SetMaxCache(-1)
	set := s.set(train)
	n.Kept, err = trainer.Run(ctx, fit.Course{
		Name: s.name(), Settings: s, Log: log, Batches: set.Batches,
		Input: func(b fit.Batch, _ float64) ([]any, error) {
			in, err := set.Input(b)
			return append(in, fit.PickLabels(train.Labels, b.Rows)), err
		},
		Validate: func() (float64, string, error) {
			r, err := n.Evaluate(d.Parts[1])
			return r.MacroF1, fmt.Sprintf("macro-F1 of the validation part %.3f", r.MacroF1), err
		},
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

func (s Settings) name() string {
	return fmt.Sprintf("%s, attention, %+d Syn steps, seed %d", s.Cell, s.Attention.Adjust.Iterations, s.Seed)
}

// logits returns the logits of the classes [batch, classes], and the weights of the words [batch, 1, length].
func (s Settings) logits(d *Data, scope *model.Scope, words, key *Node) (logits, weights *Node) {
	classifier := sequence.Classifier{
		Embedding: sequence.Embedding{Words: d.Vocabulary.Len(), Width: s.Embed}, Dropout: s.Spatial,
		Encoder: &sequence.RNN{Cell: s.Cell, Hidden: s.Hidden, Bidirectional: true, Dropout: s.Recurrent},
		Pooling: s.Attention, Classes: len(corpus.TweetClasses),
	}
	mask := GreaterThan(words, ScalarZero(words.Graph(), dtypes.Int32))
	return classifier.Logits(scope, words, mask, key, dtypes.Float32)
}

// read returns the scores of the classes for each tweet, and the weight of each word that the network reads.
func (n *Network) read(part Part) (scores, weights [][]float64, err error) {
	scores, weights = make([][]float64, len(part.IDs)), make([][]float64, len(part.IDs))
	err = fit.Predict(n.predict, n.settings.set(part), func(b fit.Batch, out []any) {
		for i, r := range b.Real() {
			scores[r], weights[r] = out[0].([][]float64)[i], out[1].([][]float64)[i][:len(part.IDs[r])]
		}
	})
	if err != nil {
		return nil, nil, err
	}
	return scores, weights, nil
}

// Evaluate returns the scores of the network on a part.
func (n *Network) Evaluate(part Part) (corpus.Report, error) {
	scores, _, err := n.read(part)
	if err != nil {
		return corpus.Report{}, err
	}
	return corpus.Evaluate(part.Labels, scores)
}

// Importance is a word of a text with its weight.
type Importance struct {
	Word   corpus.Masked
	Weight float64
}

// Importances returns the scores of the classes and the weight of each word of a text, up to the maximum number of words.
func (n *Network) Importances(text string) (scores []float64, words []Importance, err error) {
	found := corpus.TweetWords(text)
	found = found[:min(len(found), n.settings.Longest)]
	all, weights, err := n.read(Part{IDs: [][]int32{n.data.Vocabulary.Encode(found)}})
	if err != nil {
		return nil, nil, err
	}
	for i, w := range found {
		words = append(words, Importance{corpus.NewMasked(w), weights[0][i]})
	}
	return all[0], words, nil
}

// WordImportance is the weight of a word in the texts that contain it, relative to the mean word of each text.
type WordImportance struct {
	Word  corpus.Masked
	Times int
	Mean  float64 // mean of weight · words of the text: 1 for the mean word
}

// TopWords returns at most most words with the largest mean weights, among those that occur at least atLeast times in the
// texts of a class in a part.
func (n *Network) TopWords(part Part, class, atLeast, most int) ([]WordImportance, error) {
	_, weights, err := n.read(part)
	if err != nil {
		return nil, err
	}
	sums, times := map[string]float64{}, map[string]int{}
	for r, words := range part.words() {
		if part.Labels[r] != class {
			continue
		}
		for i, weight := range weights[r] {
			sums[words[i]] += weight * float64(len(weights[r]))
			times[words[i]]++
		}
	}
	var top []WordImportance
	for w, n := range times {
		if n >= atLeast {
			top = append(top, WordImportance{corpus.NewMasked(w), n, sums[w] / float64(n)})
		}
	}
	slices.SortFunc(top, func(a, b WordImportance) int {
		return cmp.Or(cmp.Compare(b.Mean, a.Mean), cmp.Compare(a.Word.Raw(), b.Word.Raw()))
	})
	return top[:max(0, min(most, len(top)))], nil
}

// set puts tweets into batches that are padded to the maximum number of words, or to half of it.
func (s Settings) set(part Part) fit.Set {
	return fit.Set{
		Lengths: fit.Lengths(part.IDs, func(words []int32) int { return len(words) }), Size: s.Batch, Limits: []int{(s.Longest + 1) / 2, s.Longest},
		Input: func(b fit.Batch) ([]any, error) { return fit.Words(corpus.Pad(fit.Pick(part.IDs, b.Rows), b.Limit)) },
	}
}
