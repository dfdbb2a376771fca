package sequence_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldentest"
)

// translators have all the kinds of decoders.
func translators() map[string]sequence.Translator {
	kinds := map[string]sequence.Translator{
		"LSTM":            {},
		"GRU":             {Encoder: sequence.RNN{Cell: sequence.GRU}},
		"LSTM, attention": {Align: 3},
		"LSTM, dot":       {Score: sequence.DotScore},
		"GRU, general":    {Encoder: sequence.RNN{Cell: sequence.GRU}, Score: sequence.GeneralScore, Adjust: concentrate},
		"GRU, adjusted":   {Encoder: sequence.RNN{Cell: sequence.GRU}, Align: 3, Adjust: distract},
	}
	for what, m := range kinds {
		m.Source, m.Target, m.Embed, m.Hidden = 7, 5, 3, 4
		m.Encoder.Hidden, m.Encoder.Bidirectional = 2, true
		kinds[what] = m
	}
	return kinds
}

// transformers have both orders of the norms.
func transformers() map[string]sequence.TransformerTranslator {
	kinds := map[string]sequence.TransformerTranslator{}
	for what, layer := range map[string]sequence.TransformerLayer{"transformer": {}, "transformer, norm first, adjusted": {NormFirst: true, Attention: sequence.MultiHeadAttention{Adjust: distract}}} {
		layer.Attention.Embed, layer.Attention.Heads, layer.Inner = 4, 2, 5
		kinds[what] = sequence.TransformerTranslator{Source: 7, Target: 5, Layer: layer, Layers: 2, Longest: 5}
	}
	return kinds
}

// TestNext: steps in a row, each from the state that the one before returned, have the values and the gradients of Logits, on
// the backend that unrolls both.
func TestNext(t *testing.T) {
	models := map[string]sequence.EncoderDecoder{}
	for what, m := range translators() {
		models[what] = m
	}
	for what, m := range transformers() {
		models[what] = m
	}
	for what, m := range models {
		t.Run(what, func(t *testing.T) {
			store := model.NewStore()
			store.SetParam(model.ParamInitialSeed, int64(3))
			run := func(decode func(scope *model.Scope, memory sequence.Memory, before *Node) (logits, alignments *Node)) (all [][]float64) {
				out := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, g *Graph) []*Node {
					mask := Const(g, [][]bool{{true, true, true, true}, {true, true, false, false}})
					memory := m.Encode(scope, Const(g, [][]int32{{1, 6, 2, 3}, {4, 5, 0, 0}}), mask, nil, dtypes.Float64)
					logits, alignments := decode(scope, memory, Const(g, [][]int32{{1, 4, 2}, {1, 3, 3}}))
					out := []*Node{logits}
					if alignments != nil {
						out = append(out, alignments)
					}
					var of []*Node
					for v := range store.IterVariables() {
						of = append(of, v.NodeValue(g))
					}
					return append(out, Gradient(waves(out...), of...)...)
				}).MustCall()
				for _, o := range out {
					all = append(all, goldentest.Floats(o))
				}
				return all
			}
			want := run(func(scope *model.Scope, memory sequence.Memory, before *Node) (logits, alignments *Node) {
				return m.Logits(scope, memory, before, nil)
			})
			got := run(func(scope *model.Scope, memory sequence.Memory, before *Node) (logits, alignments *Node) {
				var each, looks []*Node
				state := memory.Start
				for i := range before.Shape().Dim(1) {
					var l, a *Node
					l, state, a = m.Next(scope.ResetVisited(), memory, state, Squeeze(SliceAxis(before, 1, AxisElem(i)), 1))
					each, looks = append(each, l), append(looks, a)
				}
				if looks[0] == nil {
					return Stack(each, 1), nil
				}
				return Stack(each, 1), Stack(looks, 1)
			})
			if len(got) != len(want) {
				t.Fatalf("%d values and gradients, want %d", len(got), len(want))
			}
			for i := range want {
				within(t, "values and gradients", got[i], want[i], 1e-13)
			}
		})
	}
}

// TestNewTranslation: if the store lacks variables of the translator, or has them in a different size, the error names them.
func TestNewTranslation(t *testing.T) {
	backend := gobackend.GetBackend()
	kinds := translators()
	trained := func(m sequence.EncoderDecoder) *model.Store {
		store := model.NewStore()
		model.MustNewExec(backend, store, func(scope *model.Scope, g *Graph) *Node {
			memory := m.Encode(scope, Const(g, [][]int32{{1}}), nil, nil, dtypes.Float32)
			logits, _ := m.Logits(scope, memory, Const(g, [][]int32{{1}}), nil)
			return logits
		}).MustCall()
		return store
	}
	attention := kinds["LSTM, attention"]
	wider, unknown := attention, attention
	wider.Embed, unknown.Encoder.Cell = 5, 9
	elsewhere := model.NewStore()
	for v := range trained(attention).IterVariables() {
		if _, err := elsewhere.CreateVariable("/model"+v.Path(), v.MustValue()); err != nil {
			t.Fatal(err)
		}
	}
	transformer := transformers()["transformer"]
	beam := sequence.Beam{Width: 2, MaxLength: 3}
	for what, c := range map[string]struct {
		store   *model.Store
		m       sequence.EncoderDecoder
		beam    sequence.Beam
		message string // a part of it, "" for no error
	}{
		"trained":           {trained(attention), attention, beam, ""},
		"nothing trained":   {model.NewStore(), attention, beam, "/source/weights"},
		"in another scope":  {elsewhere, attention, beam, "/source/weights"},
		"without attention": {trained(kinds["LSTM"]), attention, beam, "/key/weights"},
		"smaller":           {trained(attention), wider, beam, "[7, 3]"},
		"unknown cell":      {trained(attention), unknown, beam, "unknown cell"},
		"transformer":       {trained(transformer), transformer, beam, ""},
		"beam too long":     {trained(transformer), transformer, sequence.Beam{Width: 2, MaxLength: 6}, "up to 6 words; the translator decodes at most 5"},
		"beam too wide":     {trained(attention), attention, sequence.Beam{Width: 6, MaxLength: 3}, "a beam of 6"},
	} {
		t.Run(what, func(t *testing.T) {
			names := variables(c.store)
			_, err := sequence.NewTranslation(backend, c.store, c.m, c.beam, 2, 3)
			if c.message == "" && err != nil || c.message != "" && (err == nil || !strings.HasPrefix(err.Error(), "sequence: ") || !strings.Contains(err.Error(), c.message)) {
				t.Errorf("%v, want an error with %q", err, c.message)
			}
			if now := variables(c.store); !slices.Equal(now, names) {
				t.Errorf("the store has now the variables %v, and had %v", now, names)
			}
		})
	}
}

// variables are the paths of those of a store.
func variables(store *model.Store) (paths []string) {
	for v := range store.IterVariables() {
		paths = append(paths, v.Path())
	}
	return paths
}

// TestTranslate: what both searches find has the probability that Logits gives it, and what cannot be translated is refused.
func TestTranslate(t *testing.T) {
	const words, longest = 9, 5
	layer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 16, Heads: 4}, Inner: 32}
	for what, m := range map[string]sequence.EncoderDecoder{
		"recurrent":   sequence.Translator{Source: words, Target: words, Embed: 16, Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: 16, Bidirectional: true}, Hidden: 32, Align: 16},
		"transformer": sequence.TransformerTranslator{Source: words, Target: words, Layer: layer, Layers: 1, Longest: longest + 1},
	} {
		t.Run(what, func(t *testing.T) { checkTranslations(t, m, words, longest) })
	}
}

// checkTranslations tests a model of words words on sources of up to longest.
func checkTranslations(t *testing.T, m sequence.EncoderDecoder, words, longest int) {
	const batch, begin, end = 8, 1, 2
	backend := backendtest.Chosen(t)
	rng := rand.New(rand.NewPCG(1, 1))
	sources, padded := make([][]int32, batch), make([][]int32, batch)
	for i := range sources {
		padded[i] = make([]int32, longest)
		for j := range 2 + rng.IntN(longest-1) {
			padded[i][j] = 3 + int32(rng.IntN(words-3))
			sources[i] = padded[i][:j+1]
		}
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	logProbs := model.MustNewExec(backend, store, func(scope *model.Scope, source, before *Node) *Node {
		memory := m.Encode(scope, source, GreaterThan(source, ScalarZero(source.Graph(), dtypes.Int32)), nil, dtypes.Float32)
		logits, _ := m.Logits(scope, memory, before, nil)
		return LogSoftmax(logits)
	})
	before := func(found []sequence.Hypothesis) [][]int32 {
		all := make([][]int32, batch)
		for i := range all {
			all[i] = make([]int32, longest+1)
			all[i][0] = begin
			if found != nil {
				copy(all[i][1:], found[i].Words)
			}
		}
		return all
	}
	logProbs.MustCall(padded, before(nil)) // draws the variables
	translate := func(width, sentences int, sources [][]int32) ([]sequence.Hypothesis, error) {
		translation := must(sequence.NewTranslation(backend, store, m, sequence.Beam{Width: width, MaxLength: longest + 1, Begin: begin, End: end}, sentences, longest))
		return translation.Translate(sources)
	}
	for _, width := range []int{1, 3} {
		found := must(translate(width, batch, sources))
		by := logProbs.MustCall(padded, before(found))[0].Value().([][][]float32)
		for i, h := range found {
			want := 0.0
			for j, w := range h.Words {
				want += float64(by[i][j][w])
			}
			if h.Ended {
				want += float64(by[i][len(h.Words)][end])
			}
			if math.Abs(h.LogProb-want) > 1e-4 {
				t.Errorf("width %d: %v has log-probability %g, by Logits %g", width, h.Words, h.LogProb, want)
			}
			for _, a := range h.Alignments {
				within(t, "sum of an alignment", []float64{floats.Sum(a[:len(sources[i])])}, []float64{1}, 1e-6)
			}
		}
	}
	if found, err := translate(1, 2, [][]int32{{}}); err != nil || len(found) != 1 || math.IsNaN(found[0].LogProb) {
		t.Errorf("an empty source: %v, %v", found, err)
	}
	for what, sources := range map[string][][]int32{"none": nil, "too many": {{3}, {3}, {3}}, "too long": {{3, 3, 3, 3, 3, 3}}} {
		if _, err := translate(1, 2, sources); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
