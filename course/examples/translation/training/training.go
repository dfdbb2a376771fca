// Package training trains English to German encoder-decoder models, recurrent ones with and without attention and transformers,
// and scores them.
package training

import (
	"context"
	"fmt"
	"io"
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
	Longest    int // maximum words per sentence; pairs with a longer one are left out, including test pairs
	Vocabulary int // maximum vocabulary of each language: the most frequent words
	Embed      int // features of an embedded word; of every layer of a transformer
	Encoder    int // features of the encoder's state, per direction
	Hidden     int // features of the decoder's state
	Align      int // features of the alignment's hidden layer, 0 for no attention
	// Transformer is true for a transformer of Layers layers with Heads heads, whose norms come first: so it learns without a
	// warm-up of the learning rate (Xiong et al. 2020, arXiv:2002.04745). It ignores Encoder, Hidden and Align.
	Transformer   bool
	Layers, Heads int
	Adjust        sequence.Adjustment
	Dropout       float64
	Beam          int // width of the search
}

// Quick returns settings for sentences of up to 12 words.
func Quick() Settings {
	return Settings{
		Settings: fit.Settings{Rate: 1e-3, Clip: 1, Batch: 64, Epochs: 8, Seed: 1},
		Longest:  12, Vocabulary: 4000, Embed: 128, Encoder: 128, Hidden: 192, Align: 128, Layers: 2, Heads: 4, Dropout: 0.3, Beam: 4,
	}
}

// Full returns settings for all sentences.
func Full() Settings {
	return Settings{
		Settings: fit.Settings{Rate: 1e-3, Clip: 1, Batch: 64, Epochs: 12, Seed: 1},
		Longest:  50, Vocabulary: 8000, Embed: 256, Encoder: 256, Hidden: 384, Align: 256, Layers: 3, Heads: 4, Dropout: 0.4, Beam: 4,
	}
}

// Data has the training, validation and test data of the models.
type Data struct {
	Source, Target          *corpus.Vocabulary
	Train, Validation, Test []Example
}

// Example is a pair of sentences.
type Example struct {
	corpus.Pair
	Source, Target []int32 // without begin and end
}

// Words returns the words of a sentence in lower case, which is what the models read and write, and what their BLEU
// compares.
func Words(sentence string) []string { return corpus.Words(strings.ToLower(sentence)) }

// Prepare encodes the pairs of set, with vocabularies from the training pairs.
func (s Settings) Prepare(set corpus.Multi30k) (*Data, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Longest < 1 || s.Beam < 1 {
		return nil, fmt.Errorf("sentences of up to %d words and a beam of %d; want 1 or more of both", s.Longest, s.Beam)
	}
	d := &Data{}
	counts := [2]corpus.Counts{{}, {}}
	for _, p := range set.Train {
		counts[0].Add(Words(p.Source)...)
		counts[1].Add(Words(p.Target)...)
	}
	var err error
	for i, v := range []**corpus.Vocabulary{&d.Source, &d.Target} {
		if *v, err = counts[i].Vocabulary(2, s.Vocabulary); err != nil {
			return nil, err
		}
	}
	for part, pairs := range map[*[]Example][]corpus.Pair{&d.Train: set.Train, &d.Validation: set.Validation, &d.Test: set.Test} {
		for _, p := range pairs {
			source, target := Words(p.Source), Words(p.Target)
			if len(source) == 0 || len(target) == 0 || len(source) > s.Longest || len(target) > s.Longest {
				continue
			}
			*part = append(*part, Example{p, d.Source.Encode(source), d.Target.Encode(target)})
		}
		if len(*part) == 0 {
			return nil, fmt.Errorf("no pair of sentences of up to %d words; allow longer ones", s.Longest)
		}
	}
	return d, nil
}

// generated returns the most words per translation, including the end.
func (s Settings) generated() int { return s.Longest + 10 }

// Name names the model.
func (s Settings) Name() string {
	switch {
	case s.Transformer:
		return "transformer"
	case s.Align > 0:
		return "with attention"
	}
	return "without attention"
}

// Translator returns the model of these settings.
func (s Settings) Translator(d *Data) sequence.EncoderDecoder {
	if s.Transformer {
		return sequence.TransformerTranslator{
			Source: d.Source.Len(), Target: d.Target.Len(), Layers: s.Layers, Longest: s.generated(),
			Layer: sequence.TransformerLayer{
				Attention: sequence.MultiHeadAttention{Embed: s.Embed, Heads: s.Heads, Adjust: s.Adjust}, Inner: 4 * s.Embed, NormFirst: true, Dropout: s.Dropout,
			},
		}
	}
	return sequence.Translator{
		Source: d.Source.Len(), Target: d.Target.Len(), Embed: s.Embed, Hidden: s.Hidden, Align: s.Align, Adjust: s.Adjust,
		Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: s.Encoder, Bidirectional: true}, Dropout: s.Dropout,
	}
}

// Network is a trained model.
type Network struct {
	fit.Kept
	Loss     float64 // nats per word on the validation sentences, of the epoch that was kept
	settings Settings
	data     *Data
	backend  compute.Backend
	store    *model.Store
}

// Train trains a model and keeps the epoch with the smallest loss on the validation sentences. It writes one line per epoch
// to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, log io.Writer) (*Network, error) {
	m := s.Translator(d)
	losses := func(scope *model.Scope, in []*Node, key *Node) (sum, words *Node) {
		memory := m.Encode(scope, in[0], GreaterThan(in[0], ScalarZero(in[0].Graph(), dtypes.Int32)), key, dtypes.Float32)
		logits, _ := m.Logits(scope, memory, in[1], key)
		return fit.CrossEntropy(logits, OneHot(in[2], d.Target.Len(), dtypes.Float32))
	}
	trainer, err := fit.New(backend, s.Settings, func(scope *model.Scope, in []*Node, key *Node) *Node {
		return Div(losses(scope, in, key))
	})
	if err != nil {
		return nil, err
	}
	evaluate, err := model.NewExec(backend, trainer.Store, func(scope *model.Scope, in []*Node) (sum, words *Node) {
		fit.Live(scope, in[0].Graph())
		sum, words = losses(scope, in, nil)
		return ConvertDType(sum, dtypes.Float64), ConvertDType(words, dtypes.Float64)
	})
	if err != nil {
		return nil, err
	}
	evaluate.SetMaxCache(-1)
	train := s.set(d.Train)
	kept, err := trainer.Run(ctx, fit.Course{
		Name: s.Name(), Settings: s, Log: log, Batches: train.Batches,
		Input: func(b fit.Batch, _ float64) ([]any, error) { return train.Input(b) },
		Validate: func() (float64, string, error) {
			var sum, words float64
			err := fit.Predict(evaluate, s.set(d.Validation), func(_ fit.Batch, out []any) {
				sum, words = sum+out[0].(float64), words+out[1].(float64)
			})
			return -sum / words, fmt.Sprintf("of the validation sentences %.3f", sum/words), err
		},
	})
	if err != nil {
		return nil, err
	}
	return &Network{kept, -kept.Score, s, d, backend, trainer.Store}, nil
}

// Translate translates the sources of examples by beam search with this width; 1 is greedy search. It ignores the targets.
func (n *Network) Translate(examples []Example, width int) ([]sequence.Hypothesis, error) {
	s := n.settings
	beam := sequence.Beam{Width: width, MaxLength: s.generated(), Penalty: 1, Begin: corpus.BeginID, End: corpus.EndID}
	translation, err := sequence.NewTranslation(n.backend, n.store, s.Translator(n.data), beam, s.Batch, s.Longest)
	if err != nil {
		return nil, err
	}
	var all []sequence.Hypothesis
	for some := range slices.Chunk(examples, s.Batch) {
		var sources [][]int32
		for _, e := range some {
			sources = append(sources, e.Source)
		}
		found, err := translation.Translate(sources)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// BLEU compares translations of examples with their targets, both in lower case and split by [corpus.Words]. It is not
// comparable with published scores, which use different tokens and include long test sentences.
func (d *Data) BLEU(examples []Example, translations []sequence.Hypothesis) (corpus.BLEU, error) {
	hypotheses, references := make([]string, len(translations)), make([]string, len(examples))
	for i, h := range translations {
		hypotheses[i] = strings.Join(d.Target.Decode(h.Words), " ")
	}
	for i, e := range examples {
		references[i] = strings.Join(Words(e.Pair.Target), " ")
	}
	return corpus.CorpusBLEU(hypotheses, references)
}

// BLEUByLength is the score of [Data.BLEU] for the sources of up to each number of words that are longer than the limit before.
// The limits increase, and some source lies within each.
func (d *Data) BLEUByLength(examples []Example, translations []sequence.Hypothesis, limits ...int) ([]float64, error) {
	var scores []float64
	above := 0
	for _, limit := range limits {
		var some []Example
		var theirs []sequence.Hypothesis
		for i, e := range examples {
			if n := len(e.Source); n > above && n <= limit {
				some, theirs = append(some, e), append(theirs, translations[i])
			}
		}
		bleu, err := d.BLEU(some, theirs)
		if err != nil {
			return nil, fmt.Errorf("sources of %d to %d words: %w", above+1, limit, err)
		}
		scores, above = append(scores, bleu.Score), limit
	}
	return scores, nil
}

// Aligned is a word of a translation and the word of the source with the largest weight.
type Aligned struct {
	Target, Source string
	Weight         float64
}

// Align returns the words of a translation by a model with attention, each with the source word that it attends to most.
func (d *Data) Align(e Example, h sequence.Hypothesis) []Aligned {
	source := Words(e.Pair.Source)
	var words []Aligned
	for i, w := range h.Words[:min(len(h.Words), len(h.Alignments))] {
		weights := h.Alignments[i][:len(source)]
		best := slices.Index(weights, slices.Max(weights))
		words = append(words, Aligned{d.Target.Word(w), source[best], weights[best]})
	}
	return words
}

// set puts pairs into batches that are padded to one of a few lengths.
func (s Settings) set(examples []Example) fit.Set {
	limits := slices.DeleteFunc([]int{8, 12, 16, 20, 30}, func(n int) bool { return n >= s.Longest })
	return fit.Set{
		Lengths: fit.Lengths(examples, func(e Example) int { return max(len(e.Source), len(e.Target)) }), Size: s.Batch, Limits: append(limits, s.Longest),
		Input: func(b fit.Batch) ([]any, error) { return input(examples, b) },
	}
}

// input pads sources, targets preceded by the begin, and targets followed by the end; the last are padded with -1, which is
// no word.
func input(examples []Example, b fit.Batch) ([]any, error) {
	var sources, before, after [][]int32
	for i, e := range fit.Pick(examples, b.Rows) {
		sources, before, after = append(sources, e.Source), append(before, nil), append(after, nil)
		if b.Rows[i] >= 0 {
			delimited := corpus.Delimit(e.Target)
			before[i], after[i] = delimited[:len(delimited)-1], delimited[1:]
		}
	}
	var in []any
	for i, sentences := range [][][]int32{sources, before, after} {
		length := b.Limit
		if i > 0 {
			length++
		}
		padded, err := corpus.Pad(sentences, length)
		if err != nil {
			return nil, err
		}
		if i == 2 {
			for j, real := range padded.Mask {
				if !real {
					padded.IDs[j] = -1
				}
			}
		}
		in = append(in, tensors.FromFlatDataAndDimensions(padded.IDs, padded.Dims...))
	}
	return in, nil
}
