// Package training trains word attention over a bidirectional LSTM on texts: on tweets of one class each (Davidson et al.
// 2017), or on comments that can have several labels (the Toxic Comment Classification Challenge). It has a bag-of-words
// baseline on the same split.
package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"

	"synpool/course/corpus"
	"synpool/course/examples/fit"
	"synpool/course/sequence"
)

// Settings of a training.
type Settings struct {
	fit.Settings
	Most       int    // maximum number of texts, 0 for all
	Longest    int    // maximum number of words read per text
	Vocabulary int    // maximum vocabulary: the most frequent words in training
	Embed      int    // features of an embedded word
	Vectors    string // file of pretrained word vectors to start from ([corpus.ReadVectors]), whose features replace Embed; "" for none
	Cell       sequence.Cell
	Hidden     int // features of the state, per direction
	Attention  sequence.WordAttention
	Spatial    float64 // dropout of the embedded words
	Recurrent  float64 // dropout of the state
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

// Texts are texts with labels.
type Texts struct {
	Names     []string // of the labels
	Exclusive bool     // the labels are classes: every text has exactly one
	Texts     []corpus.Masked
	Labels    [][]bool // [text][label]
}

// Tweets returns tweets with their classes.
func Tweets(tweets []corpus.Tweet) Texts {
	t := Texts{Names: corpus.TweetClasses[:], Exclusive: true}
	for _, tweet := range tweets {
		var labels [len(corpus.TweetClasses)]bool
		labels[tweet.Class] = true
		t.Texts, t.Labels = append(t.Texts, tweet.Text), append(t.Labels, labels[:])
	}
	return t
}

// Comments returns comments with their labels.
func Comments(comments []corpus.Comment) Texts {
	t := Texts{Names: corpus.CommentLabels[:]}
	for _, c := range comments {
		t.Texts, t.Labels = append(t.Texts, c.Text), append(t.Labels, c.Labels[:])
	}
	return t
}

// counts returns the number of texts with each label.
func counts(labels [][]bool) []int {
	with := make([]int, len(labels[0]))
	for _, of := range labels {
		for k, is := range of {
			if is {
				with[k]++
			}
		}
	}
	return with
}

// rarest returns the rarest label of each text, the first of equals, or the number of labels for a text without any. For
// classes it is the class.
func rarest(labels [][]bool) []int {
	with, found := counts(labels), make([]int, len(labels))
	for i, of := range labels {
		found[i] = len(of)
		for k, is := range of {
			if is && (found[i] == len(of) || with[k] < with[found[i]]) {
				found[i] = k
			}
		}
	}
	return found
}

// Data has texts, split into parts.
type Data struct {
	Names      []string // of the labels
	Exclusive  bool     // see [Texts]
	Vocabulary *corpus.Vocabulary
	Vectors    corpus.Vectors // that the embedding starts from; of no word without Settings.Vectors
	Parts      [3]Part        // training, validation, test
}

// Part has texts with their labels.
type Part struct {
	Texts  []corpus.Masked
	IDs    [][]int32 // the words that the network reads
	Labels [][]bool
}

// words returns the words of each text.
func (p Part) words() [][]string {
	words := make([][]string, len(p.Texts))
	for i, t := range p.Texts {
		words[i] = corpus.TweetWords(t.Raw())
	}
	return words
}

// Prepare splits texts 8:1:1 and builds the vocabulary from the training part, whose words get
// their pretrained vectors. The split is the same for each class, or for
// texts of several labels, the same for each rarest label, so that rare ones are in every part.
func (s Settings) Prepare(t Texts) (*Data, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Longest < 1 {
		return nil, fmt.Errorf("texts of up to %d words; want 1 word or more", s.Longest)
	}
	if len(t.Texts) == 0 {
		return nil, errors.New("no texts")
	}
	if s.Most > 0 && s.Most < len(t.Texts) {
		some := rand.New(rand.NewPCG(s.Seed, 2)).Perm(len(t.Texts))[:s.Most]
		t.Texts, t.Labels = fit.Pick(t.Texts, some), fit.Pick(t.Labels, some)
	}
	parts, err := corpus.StratifiedSplit(rarest(t.Labels), []int{8, 1, 1}, s.Seed)
	if err != nil {
		return nil, fmt.Errorf("texts by rarest label (%s, none): %w", strings.Join(t.Names, ", "), err)
	}
	d := &Data{Names: t.Names, Exclusive: t.Exclusive}
	for p, rows := range parts {
		d.Parts[p].Texts, d.Parts[p].Labels = fit.Pick(t.Texts, rows), fit.Pick(t.Labels, rows)
	}
	words := corpus.Counts{}
	for _, text := range d.Parts[0].words() {
		words.Add(text...)
	}
	if d.Vocabulary, err = words.Vocabulary(2, s.Vocabulary); err != nil {
		return nil, err
	}
	d.Vectors.Width = s.Embed
	if s.Vectors != "" {
		if d.Vectors, err = corpus.ReadVectors(s.Vectors, d.Vocabulary); err != nil {
			return nil, err
		}
	}
	for p := range d.Parts {
		d.Parts[p].IDs = corpus.Truncate(d.Vocabulary.EncodeDocument(d.Parts[p].words()), s.Longest)
	}
	return d, nil
}

// Baseline evaluates the bag-of-words model on the same test part, with the settings that are best on a validation part of
// the tweets ([corpus.DefaultBagOfWords]). Labels that do not exclude each other have a model each.
func Baseline(d *Data) (corpus.Report, error) {
	train, test := d.Parts[0], d.Parts[2]
	seen, asked := train.words(), test.words()
	if d.Exclusive {
		m, err := corpus.DefaultBagOfWords().Fit(seen, rarest(train.Labels), len(d.Names))
		if err != nil {
			return corpus.Report{}, err
		}
		return m.Evaluate(asked, rarest(test.Labels))
	}
	probabilities := make([][]float64, len(asked))
	for k, name := range d.Names {
		has := make([]int, len(seen))
		for i, of := range train.Labels {
			if of[k] {
				has[i] = 1
			}
		}
		m, err := corpus.DefaultBagOfWords().Fit(seen, has, 2)
		if err != nil {
			return corpus.Report{}, fmt.Errorf("label %s: %w", name, err)
		}
		for i, text := range asked {
			p, err := m.Probabilities(text)
			if err != nil {
				return corpus.Report{}, fmt.Errorf("label %s: %w", name, err)
			}
			probabilities[i] = append(probabilities[i], p[1])
		}
	}
	return corpus.EvaluateLabels(test.Labels, probabilities)
}

// Network is a trained classifier of texts.
type Network struct {
	fit.Kept
	settings Settings
	data     *Data
	predict  *model.Exec
}

// Train trains the network and writes one line per epoch to log. Classes have one softmax, the same total weight each, and
// the epoch with the best macro-F1 on the validation part is kept. Labels that do not exclude each other have a sigmoid each,
// and the epoch with the best macro-AUC is kept.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, log io.Writer) (*Network, error) {
	train := d.Parts[0]
	var weights []float32
	for _, n := range counts(train.Labels) {
		weights = append(weights, float32(len(train.Labels))/float32(len(d.Names)*max(1, n)))
	}
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, key *Node) *Node {
		y, _ := s.logits(d, scope, in[0], key)
		right, rows := in[1], in[2]
		if d.Exclusive {
			return Div(fit.CrossEntropy(y, Mul(right, ExpandAxes(Const(y.Graph(), weights), 0))))
		}
		return Div(fit.BinaryCrossEntropy(y, right, rows))
	})
	if err != nil {
		return nil, err
	}
	n := &Network{settings: s, data: d}
	if n.predict, err = model.NewExec(backend, trainer.Store, func(scope *model.Scope, words *Node) (scores, weights *Node) {
		fit.Live(scope, words.Graph())
		y, weights := s.logits(d, scope, words, nil)
		if d.Exclusive {
			scores = Softmax(y)
		} else {
			scores = Sigmoid(y)
		}
		return ConvertDType(scores, dtypes.Float64), ConvertDType(Squeeze(weights, 1), dtypes.Float64)
	}); err != nil {
		return nil, err
	}
	n.predict.SetMaxCache(-1)
	set := s.set(train)
	n.Kept, err = trainer.Run(ctx, fit.Course{
		Name: s.name(), Settings: settingsOf{s, d.Names}, Log: log, Batches: set.Batches,
		Input: func(b fit.Batch, _ float64) ([]any, error) {
			in, err := set.Input(b)
			right, rows := fit.PickSeveral(train.Labels, b.Rows)
			return append(in, right, rows), err
		},
		Validate: func() (float64, string, error) {
			r, err := n.Evaluate(d.Parts[1])
			if d.Exclusive {
				return r.MacroF1, fmt.Sprintf("macro-F1 of the validation part %.3f", r.MacroF1), err
			}
			return r.MacroAUC, fmt.Sprintf("macro-AUC of the validation part %.3f", r.MacroAUC), err
		},
	})
	if err != nil {
		return nil, err
	}
	return n, nil
}

// settingsOf are the settings of a checkpoint: those of the program, and which labels the texts have.
type settingsOf struct {
	Settings
	Names []string
}

func (s Settings) name() string {
	return fmt.Sprintf("%s, attention, %+d Syn steps, seed %d", s.Cell, s.Attention.Adjust.Iterations, s.Seed)
}

// logits returns the logits of the labels [batch, labels], and the weights of the words [batch, 1, length].
func (s Settings) logits(d *Data, scope *model.Scope, words, key *Node) (logits, weights *Node) {
	classifier := sequence.Classifier{
		Embedding: sequence.Embedding{Words: d.Vocabulary.Len(), Width: d.Vectors.Width, Pretrained: d.Vectors.Of}, Dropout: s.Spatial,
		Encoder: &sequence.RNN{Cell: s.Cell, Hidden: s.Hidden, Bidirectional: true, Dropout: s.Recurrent},
		Pooling: s.Attention, Classes: len(d.Names),
	}
	mask := GreaterThan(words, ScalarZero(words.Graph(), dtypes.Int32))
	return classifier.Logits(scope, words, mask, key, dtypes.Float32)
}

// read returns the probabilities of the labels for each text, and the weight of each word that the network reads.
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
	switch {
	case err != nil:
		return corpus.Report{}, err
	case n.data.Exclusive:
		return corpus.Evaluate(rarest(part.Labels), scores)
	}
	return corpus.EvaluateLabels(part.Labels, scores)
}

// Importance says how important a word is in a text.
type Importance struct {
	Word    corpus.Masked
	Weight  float64   // share of the attention
	Effects []float64 // how much the probability of each label falls if the word is replaced by an unknown one
}

// Importances returns the probabilities of the labels and the importance of each word of a text, up to the maximum number of
// words.
func (n *Network) Importances(text string) (scores []float64, words []Importance, err error) {
	found := corpus.TweetWords(text)
	found = found[:min(len(found), n.settings.Longest)]
	all, of, err := n.importances(Part{IDs: [][]int32{n.data.Vocabulary.Encode(found)}}, [][]string{found})
	if err != nil {
		return nil, nil, err
	}
	return all[0], of[0], nil
}

// importances returns the probabilities of the labels and the importance of each word, for each text of a part with these
// words.
func (n *Network) importances(part Part, words [][]string) (scores [][]float64, of [][]Importance, err error) {
	scores, weights, err := n.read(part)
	if err != nil {
		return nil, nil, err
	}
	var changed Part // each text as often as it has words
	for _, ids := range part.IDs {
		for k := range ids {
			without := slices.Clone(ids)
			without[k] = corpus.UnknownID
			changed.IDs = append(changed.IDs, without)
		}
	}
	left, _, err := n.read(changed)
	if err != nil {
		return nil, nil, err
	}
	of = make([][]Importance, len(part.IDs))
	for i := range part.IDs {
		for k, weight := range weights[i] {
			effects := floats.SubTo(left[0], scores[i], left[0])
			left = left[1:]
			of[i] = append(of[i], Importance{corpus.NewMasked(words[i][k]), weight, effects})
		}
	}
	return scores, of, nil
}

// WordImportance is the mean importance of a word for a label in the texts that have both.
type WordImportance struct {
	Word   corpus.Masked
	Times  int
	Weight float64 // mean of attention · words of the text: 1 for the mean word
	Effect float64 // mean of the effect on the probability of the label ([Importance])
}

// TopWords returns, for each label, at most most words with the largest mean effects on it, among those that occur at least
// atLeast times in the texts of a part with the label. It reads each of these texts once more per word.
func (n *Network) TopWords(part Part, atLeast, most int) ([][]WordImportance, error) {
	var labelled Part
	for i, of := range part.Labels {
		if slices.Contains(of, true) {
			labelled.Texts, labelled.IDs, labelled.Labels = append(labelled.Texts, part.Texts[i]), append(labelled.IDs, part.IDs[i]), append(labelled.Labels, of)
		}
	}
	_, texts, err := n.importances(labelled, labelled.words())
	if err != nil {
		return nil, err
	}
	top := make([][]WordImportance, len(n.data.Names))
	for k := range top {
		sums := map[corpus.Masked]*WordImportance{}
		for i, words := range texts {
			for _, w := range words {
				if !labelled.Labels[i][k] {
					continue
				}
				sum := sums[w.Word]
				if sum == nil {
					sum = &WordImportance{Word: w.Word}
					sums[w.Word] = sum
				}
				sum.Times++
				sum.Weight += w.Weight * float64(len(words))
				sum.Effect += w.Effects[k]
			}
		}
		for _, sum := range sums {
			if sum.Times >= atLeast {
				sum.Weight, sum.Effect = sum.Weight/float64(sum.Times), sum.Effect/float64(sum.Times)
				top[k] = append(top[k], *sum)
			}
		}
		slices.SortFunc(top[k], func(a, b WordImportance) int {
			return cmp.Or(cmp.Compare(b.Effect, a.Effect), cmp.Compare(a.Word.Raw(), b.Word.Raw()))
		})
		top[k] = top[k][:max(0, min(most, len(top[k])))]
	}
	return top, nil
}

// set puts texts into batches that are padded to the maximum number of words, or to half of it.
func (s Settings) set(part Part) fit.Set {
	return fit.Set{
		Lengths: fit.Lengths(part.IDs, func(words []int32) int { return len(words) }), Size: s.Batch, Limits: []int{(s.Longest + 1) / 2, s.Longest},
		Input: func(b fit.Batch) ([]any, error) { return fit.Words(corpus.Pad(fit.Pick(part.IDs, b.Rows), b.Limit)) },
	}
}
