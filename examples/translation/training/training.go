// Package training trains the encoder-decoders of English to German, without attention and with it, and scores them.
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
	Longest    int // words of the longest sentence; pairs with a longer one are left out
	Vocabulary int // most words of each language, the most frequent
	Embed      int
	Encoder    int // features of the encoder's state in one direction
	Hidden     int // of the decoder's state
	Align      int // of the alignment's hidden layer, for the model with attention
	Adjust     sequence.Adjustment
	Dropout    float64
	Rate       float64
	Batch      int
	Epochs     int
	Beam       int // width of the search
	Seed       uint64
}

// Quick returns settings for sentences of up to 12 words.
func Quick() Settings {
	return Settings{Longest: 12, Vocabulary: 4000, Embed: 128, Encoder: 128, Hidden: 192, Align: 128, Dropout: 0.3, Rate: 1e-3, Batch: 64, Epochs: 8, Beam: 4, Seed: 1}
}

// Full returns settings for all sentences.
func Full() Settings {
	return Settings{Longest: 50, Vocabulary: 8000, Embed: 256, Encoder: 256, Hidden: 384, Align: 256, Dropout: 0.4, Rate: 1e-3, Batch: 64, Epochs: 12, Beam: 4, Seed: 1}
}

// Data is what the models train on and are scored with.
type Data struct {
	Source, Target          *corpus.Vocabulary
	Train, Validation, Test []Example
}

// Example is a pair of sentences.
type Example struct {
	corpus.Pair
	Source, Target []int32 // without begin and end
}

// Words are the words of a sentence in lower case: what the models read and write, and what their BLEU compares.
func Words(sentence string) []string { return corpus.Words(strings.ToLower(sentence)) }

// Prepare takes the vocabularies from the training pairs.
func (s Settings) Prepare(set corpus.Multi30k) (*Data, error) {
	if s.Longest < 1 {
		return nil, fmt.Errorf("sentences of up to %d words; want 1 or more", s.Longest)
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

// Translator returns the model of these settings, with attention or without.
func (s Settings) Translator(d *Data, attention bool) sequence.Translator {
	m := sequence.Translator{
		Source: d.Source.Len(), Target: d.Target.Len(), Embed: s.Embed, Hidden: s.Hidden, Dropout: s.Dropout,
		Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: s.Encoder, Bidirectional: true},
	}
	if attention {
		m.Align, m.Adjust = s.Align, s.Adjust
	}
	return m
}

// Result is what a model reached on the test sentences.
type Result struct {
	Greedy, Beam corpus.BLEU
	Loss         float64 // nats a word on the validation sentences, of the epoch that was kept
	Translations []sequence.Hypothesis
	Took         time.Duration // of the training
}

// Train trains a model, keeps the epoch with the smallest loss on the validation sentences, and translates the test
// sentences. It writes a line an epoch to log.
func (s Settings) Train(ctx context.Context, backend compute.Backend, d *Data, attention bool, log io.Writer) (*Result, error) {
	m := s.Translator(d, attention)
	losses := func(scope *model.Scope, in []*Node, key *Node) (sum, words *Node) {
		none := ScalarZero(in[0].Graph(), dtypes.Int32)
		memory := m.Encode(scope, in[0], GreaterThan(in[0], none), key, dtypes.Float32)
		logits, _ := m.Logits(scope, memory, in[1], key)
		real := ConvertDType(GreaterThan(in[2], none), dtypes.Float32)
		right := ReduceSum(Mul(OneHot(in[2], m.Target, dtypes.Float32), LogSoftmax(logits)), -1)
		return Neg(ReduceAllSum(Mul(real, right))), ReduceAllSum(real)
	}
	trainer, err := fit.New(backend, fit.Settings{Rate: s.Rate, Clip: 1, Seed: s.Seed}, func(scope *model.Scope, in []*Node, key *Node) *Node {
		sum, words := losses(scope, in, key)
		return Div(sum, words)
	})
	if err != nil {
		return nil, err
	}
	evaluate, err := model.NewExec(backend, trainer.Store, func(scope *model.Scope, in []*Node) (sum, words *Node) { return losses(scope, in, nil) })
	if err != nil {
		return nil, err
	}
	evaluate.SetMaxCache(-1)
	limits := s.limits()
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	start := time.Now()
	result := &Result{Loss: -1}
	var best fit.State
	for epoch := range s.Epochs {
		batches, err := fit.Batches(lengths(d.Train), s.Batch, limits, rng)
		if err != nil {
			return nil, err
		}
		total := 0.0
		for _, b := range batches {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			loss, err := trainer.Step(batch(d.Train, b)...)
			if err != nil {
				return nil, err
			}
			total += loss / float64(len(batches))
		}
		if batches, err = fit.Batches(lengths(d.Validation), s.Batch, limits, nil); err != nil {
			return nil, err
		}
		var sum, words float64
		for _, b := range batches {
			out, err := evaluate.Call(batch(d.Validation, b)...)
			if err != nil {
				return nil, err
			}
			sum, words = sum+float64(tensors.ToScalar[float32](out[0])), words+float64(tensors.ToScalar[float32](out[1]))
		}
		fmt.Fprintf(log, "attention %t, epoch %d of %d: loss %.3f, of the validation sentences %.3f, %s\n", attention, epoch+1, s.Epochs, total, sum/words, time.Since(start).Round(time.Second))
		if loss := sum / words; result.Loss < 0 || loss < result.Loss {
			result.Loss = loss
			if best, err = trainer.State(); err != nil {
				return nil, err
			}
		}
	}
	result.Took = time.Since(start)
	if err := trainer.Restore(best); err != nil {
		return nil, err
	}
	if result.Greedy, _, err = s.score(backend, trainer.Store, m, d, 1); err != nil {
		return nil, err
	}
	result.Beam, result.Translations, err = s.score(backend, trainer.Store, m, d, s.Beam)
	return result, err
}

// score translates the test sentences by a beam of this width.
func (s Settings) score(backend compute.Backend, store *model.Store, m sequence.Translator, d *Data, width int) (corpus.BLEU, []sequence.Hypothesis, error) {
	beam := sequence.Beam{Width: width, MaxLength: s.Longest + 10, Penalty: 1, Begin: corpus.BeginID, End: corpus.EndID}
	translation, err := sequence.NewTranslation(backend, store, m, beam, s.Batch, s.Longest)
	if err != nil {
		return corpus.BLEU{}, nil, err
	}
	var all []sequence.Hypothesis
	var hypotheses, references []string
	for examples := range slices.Chunk(d.Test, s.Batch) {
		var sources [][]int32
		for _, e := range examples {
			sources = append(sources, e.Source)
			references = append(references, strings.Join(Words(e.Pair.Target), " "))
		}
		found, err := translation.Translate(sources)
		if err != nil {
			return corpus.BLEU{}, nil, err
		}
		for _, h := range found {
			hypotheses = append(hypotheses, strings.Join(d.Target.Decode(h.Words), " "))
		}
		all = append(all, found...)
	}
	bleu, err := corpus.CorpusBLEU(corpus.TokenizeNone, hypotheses, references)
	return bleu, all, err
}

// limits are the lengths that sentences are padded to.
func (s Settings) limits() []int {
	var limits []int
	for _, n := range []int{8, 12, 16, 20, 30} {
		if n < s.Longest {
			limits = append(limits, n)
		}
	}
	return append(limits, s.Longest)
}

// lengths are those of the longer sentence of each pair.
func lengths(examples []Example) []int {
	n := make([]int, len(examples))
	for i, e := range examples {
		n[i] = max(len(e.Source), len(e.Target))
	}
	return n
}

// batch pads sources, targets behind their begin, and targets before their end.
func batch(examples []Example, b fit.Batch) []any {
	size := len(b.Rows)
	source, before, after := make([]int32, size*b.Limit), make([]int32, size*(b.Limit+1)), make([]int32, size*(b.Limit+1))
	for i, e := range fit.Pick(examples, b.Rows) {
		if e.Source == nil {
			continue
		}
		copy(source[i*b.Limit:], e.Source)
		delimited := corpus.Delimit(e.Target)
		copy(before[i*(b.Limit+1):], delimited[:len(delimited)-1])
		copy(after[i*(b.Limit+1):], delimited[1:])
	}
	return []any{tensors.FromFlatDataAndDimensions(source, size, b.Limit), tensors.FromFlatDataAndDimensions(before, size, b.Limit+1), tensors.FromFlatDataAndDimensions(after, size, b.Limit+1)}
}
