package sequence_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/synlayer"
)

// The sizes of the benchmarks, those of testdata/bench.py.
const (
	benchBatch, benchLength, benchWords = 32, 40, 10000
	benchEmbed, benchHidden             = 100, 64
)

// drawIDs returns numbers of words from 1.
func drawIDs(dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(1, 2))
	size := 1
	for _, d := range dims {
		size *= d
	}
	ids := make([]int32, size)
	for i := range ids {
		ids[i] = 1 + int32(rng.IntN(benchWords-1))
	}
	return tensors.FromFlatDataAndDimensions(ids, dims...)
}

// benchModel is what the benchmarks train: a model with a loss.
type benchModel struct {
	name string
	in   func() []any // tensors stay with the backend that has seen them
	loss func(scope *model.Scope, in []*Node) *Node
}

// benchModels have every model of the package.
func benchModels() []benchModel {
	there := func(ids *Node) *Node { return GreaterThan(ids, ScalarZero(ids.Graph(), ids.DType())) }
	embedding := sequence.Embedding{Words: benchWords, Width: benchEmbed}
	rnn := func(cell sequence.Cell) *sequence.RNN {
		return &sequence.RNN{Cell: cell, Hidden: benchHidden, Bidirectional: true}
	}
	squares := func(y *Node) *Node { return ReduceAllMean(Square(y)) }
	zeros := func(dims ...int) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(make([]float32, dims[0]*dims[1]*dims[2]), dims...)
	}
	encode := func(cell sequence.Cell) benchModel {
		return benchModel{cell.String(), func() []any { return []any{zeros(benchBatch, benchLength, benchEmbed)} }, func(scope *model.Scope, in []*Node) *Node {
			y, _ := rnn(cell).Encode(scope, synlayer.Bags{X: in[0]}, nil)
			return squares(y)
		}}
	}
	return []benchModel{
		encode(sequence.LSTM), encode(sequence.GRU),
		{"words", func() []any { return []any{drawIDs(benchBatch, benchLength)} }, func(scope *model.Scope, in []*Node) *Node {
			c := sequence.Classifier{Embedding: embedding, Encoder: rnn(sequence.LSTM), Pooling: sequence.WordAttention{Width: 64}, Classes: 3}
			y, _ := c.Logits(scope, in[0], there(in[0]), nil, dtypes.Float32)
			return squares(y)
		}},
		{"documents", func() []any { return []any{drawIDs(8, 20, 20)} }, func(scope *model.Scope, in []*Node) *Node {
			c := sequence.DocumentClassifier{Embedding: embedding, Attention: sequence.DefaultHierarchicalAttention(), Classes: 2}
			y, _, _ := c.Logits(scope, in[0], there(in[0]), nil, dtypes.Float32)
			return squares(y)
		}},
		{"translator", func() []any { return []any{drawIDs(benchBatch, 12), drawIDs(benchBatch, 13)} }, func(scope *model.Scope, in []*Node) *Node {
			m := sequence.Translator{Source: benchWords, Target: benchWords, Embed: benchEmbed, Encoder: *rnn(sequence.GRU), Hidden: 128, Align: 64}
			y, _ := m.Logits(scope, m.Encode(scope, in[0], there(in[0]), nil, dtypes.Float32), in[1], nil)
			return squares(y)
		}},
		{"transformer", func() []any { return []any{zeros(benchBatch, benchLength, 128)} }, func(scope *model.Scope, in []*Node) *Node {
			y, _ := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 128, Heads: 4}, Inner: 512}.Encode(scope, synlayer.Bags{X: in[0]})
			return squares(y)
		}},
		{"transformer translator", func() []any { return []any{drawIDs(benchBatch, 12), drawIDs(benchBatch, 13)} }, func(scope *model.Scope, in []*Node) *Node {
			layer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 128, Heads: 4}, Inner: 512}
			m := sequence.TransformerTranslator{Source: benchWords, Target: benchWords, Layer: layer, Layers: 2, Longest: 13}
			y, _ := m.Logits(scope, m.Encode(scope, in[0], there(in[0]), nil, dtypes.Float32), in[1], nil)
			return squares(y)
		}},
		{"memory network", func() []any { return []any{drawIDs(benchBatch, 10, 6), drawIDs(benchBatch, 6)} }, func(scope *model.Scope, in []*Node) *Node {
			m := sequence.MemoryNetwork{Words: benchWords, Width: 32, Sentences: 10, Hops: 3, Answers: 6}
			y, _ := m.Logits(scope, in[0], there(in[0]), in[1], there(in[1]), dtypes.Float32)
			return squares(y)
		}},
		{"deep sets", func() []any { return []any{zeros(benchBatch, benchLength, benchEmbed)} }, func(scope *model.Scope, in []*Node) *Node {
			y, _ := sequence.DeepSets{Element: []int{128, 128}, Pooling: synlayer.SumPooling{}, Set: []int{128, 1}}.Apply(scope, synlayer.Bags{X: in[0]})
			return squares(y)
		}},
		// Which has no weights: those of a dense map of its places.
		{"Nadaraya-Watson", func() []any {
			return []any{zeros(benchBatch, 2*benchLength, benchEmbed), zeros(benchBatch, benchLength, 1)}
		}, func(scope *model.Scope, in []*Node) *Node {
			places := synlayer.Dense(scope, in[0], 0, 32)
			queries, keys := SliceAxis(places, 1, AxisRange(0, benchLength)), SliceAxis(places, 1, AxisRange(benchLength, 2*benchLength))
			y, _ := sequence.NadarayaWatson{Bandwidth: 1}.Attend(queries, keys, in[1], nil)
			return squares(y)
		}},
	}
}

// BenchmarkTrainingStep times a step of Adam of each model; testdata/bench.py times PyTorch's in turn with it.
func BenchmarkTrainingStep(b *testing.B) {
	for _, m := range benchModels() {
		for name, backend := range backendtest.All(b) {
			b.Run(m.name+"/"+name, func(b *testing.B) {
				adam := optimizer.Adam().LearningRate(1e-3).Done()
				exec := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, in []*Node) *Node {
					l := m.loss(scope, in)
					adam.UpdateGraph(scope, l.Graph(), l)
					return l
				})
				in := m.in()
				exec.MustCall(in...)[0].MustFinalizeAll()
				for b.Loop() {
					exec.MustCall(in...)[0].MustFinalizeAll()
				}
			})
		}
	}
}
