package sequence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/floats"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldentest"
	"synpool/synlayer"
	"synpool/synlayer/syntest"
)

var (
	concentrate = sequence.Adjustment{Iterations: 2, Gamma: 0.5}
	distract    = sequence.Adjustment{Iterations: -3, Gamma: 1, Renormalise: true}
)

// deepSets is a [sequence.DeepSets] as a pooling.
type deepSets struct{ sequence.DeepSets }

func (d deepSets) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	return d.Apply(scope, bags)
}

// TestPoolingLaws tries float32 alone where each graph takes XLA most of a second to compile.
func TestPoolingLaws(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		for what, pooling := range map[string]synlayer.Pooling{
			"words":           sequence.WordAttention{Width: 3},
			"words, adjusted": sequence.WordAttention{Width: 3, Adjust: distract},
			"document":        sequence.DocumentAttention{Width: 3, Adjust: concentrate},
			"deep sets":       deepSets{sequence.DeepSets{Element: []int{4, 3}, Pooling: synlayer.SumPooling{}, Set: []int{3, 2}}},
		} {
			types := []dtypes.DType{dtypes.Float64, dtypes.Float32}
			if slow(backend) {
				if what == "words" || what == "deep sets" {
					continue // parts of the others, and of synlayer's own test
				}
				types = types[1:]
			}
			t.Run(name+"/"+what, func(t *testing.T) { syntest.Laws(t, backend, pooling, types...) })
		}
	}
}

// encoder is a layer of sequences x [batch, length, features]: outputs [batch, ...] and outputs [batch, length, ...].
type encoder func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node)

const lawFeatures, lawLength = 4, 4

// ids makes numbers of words of x; those in padding lie outside every vocabulary.
func ids(s synlayer.Bags) *Node {
	known := ConvertDType(MinScalar(MulScalar(Abs(Where(s.Mask, ReduceMax(s.X, -1), ZerosLike(ReduceMax(s.X, -1)))), 3), 6), dtypes.Int32)
	return Where(s.Mask, known, MulScalar(OnesLike(known), -7))
}

// encoders has every layer of sequences.
func encoders() map[string]encoder {
	lstm := sequence.RNN{Cell: sequence.LSTM, Hidden: 3, Bidirectional: true, Dropout: 0.3}
	gru := sequence.RNN{Cell: sequence.GRU, Hidden: 3, Bidirectional: true}
	rnn := func(r sequence.RNN) encoder {
		return func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			states, last := r.Encode(scope, s, nil)
			return last, []*Node{states}
		}
	}
	transformer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: lawFeatures, Heads: 2, Adjust: concentrate}, Inner: 5, Dropout: 0.2}
	embedding := sequence.Embedding{Words: 7, Width: 3}
	translate := func(m sequence.EncoderDecoder) encoder {
		return func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			memory := m.Encode(scope, ids(s), s.Mask, s.DropoutKey, s.X.DType())
			before := Const(s.X.Graph(), slices.Repeat([][]int32{{1, 3, 2}}, s.X.Shape().Dim(0)))
			logits, alignments := m.Logits(scope, memory, before, s.DropoutKey)
			if alignments == nil {
				return []*Node{logits}, nil
			}
			return []*Node{logits}, []*Node{Transpose(alignments, 1, 2)}
		}
	}
	recurrent := func(score sequence.Score, align int, adjust sequence.Adjustment, cell sequence.Cell) encoder {
		return translate(sequence.Translator{Source: 7, Target: 5, Embed: 3, Hidden: 4, Score: score, Align: align, Adjust: adjust, Dropout: 0.2, Encoder: sequence.RNN{Cell: cell, Hidden: 2, Bidirectional: true}})
	}
	remember := func(m sequence.MemoryNetwork) encoder {
		m.Words, m.Width, m.Sentences, m.Hops, m.Answers = 7, 3, 3, 2, 4
		return func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			story := Stack([]*Node{ids(s), ids(s)}, 2) // every word is a sentence of two words
			mask := Stack([]*Node{s.Mask, s.Mask}, 2)
			logits, weights := m.Logits(scope, story, mask, ids(s), s.Mask, s.X.DType())
			return []*Node{logits}, []*Node{Transpose(weights, 1, 2)}
		}
	}
	return map[string]encoder{
		"LSTM": rnn(lstm), "GRU": rnn(gru),
		"spatial dropout": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			x := Where(s.Mask, s.X, ZerosLike(s.X))
			return nil, []*Node{sequence.SpatialDropout(scope, synlayer.Bags{X: x, Mask: s.Mask, DropoutKey: s.DropoutKey}, 0.5)}
		},
		"transformer": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			s.X = sequence.Positions(s.X)
			y, _ := transformer.Encode(scope, s)
			return nil, []*Node{y}
		},
		"transformer decoder, target": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			source := ConstAs(s.X, slices.Repeat([][][]float64{{{0.5, -1, 2, 0.1}, {1, 0, -0.3, 2}}}, s.X.Shape().Dim(0)))
			y, _, _ := transformer.Decode(scope, s, synlayer.Bags{X: source})
			return nil, []*Node{y}
		},
		"transformer decoder, source": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			target := ConstAs(s.X, slices.Repeat([][][]float64{{{0.5, -1, 2, 0.1}, {1, 0, -0.3, 2}}}, s.X.Shape().Dim(0)))
			y, _, cross := transformer.Decode(scope, synlayer.Bags{X: target, DropoutKey: s.DropoutKey}, s)
			return []*Node{y}, []*Node{Transpose(ReduceSum(cross, 1), 1, 2)}
		},
		"classifier": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			c := sequence.Classifier{Embedding: embedding, Dropout: 0.2, Encoder: &gru, Pooling: sequence.WordAttention{Width: 3, Adjust: distract}, Classes: 3}
			logits, weights := c.Logits(scope, ids(s), s.Mask, s.DropoutKey, s.X.DType())
			return []*Node{logits}, []*Node{Squeeze(weights, 1)}
		},
		"bag of words": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			c := sequence.Classifier{Embedding: embedding, Pooling: synlayer.SumPooling{}, Classes: 3}
			logits, weights := c.Logits(scope, ids(s), s.Mask, s.DropoutKey, s.X.DType())
			return []*Node{logits}, []*Node{Squeeze(weights, 1)}
		},
		"hierarchical, words": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			c := sequence.DocumentClassifier{Embedding: embedding, Dropout: 0.2, Classes: 3, Attention: sequence.HierarchicalAttention{
				Words: gru, WordAttention: sequence.WordAttention{Width: 3}, Sentences: lstm, SentenceAttention: sequence.WordAttention{Width: 2, Adjust: concentrate}}}
			two := func(x *Node) *Node { return Stack([]*Node{x, x}, 1) } // every document has its sentence twice
			logits, words, sentences := c.Logits(scope, two(ids(s)), two(s.Mask), s.DropoutKey, s.X.DType())
			return []*Node{logits, sentences}, []*Node{Transpose(words, 1, 2)}
		},
		"hierarchical, sentences": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			c := sequence.DocumentClassifier{Embedding: embedding, Dropout: 0.2, Classes: 3, Attention: sequence.HierarchicalAttention{
				Words: lstm, WordAttention: sequence.WordAttention{Width: 2}, Sentences: gru, SentenceAttention: sequence.WordAttention{Width: 3}}}
			each := func(x *Node) *Node { return ExpandAxes(x, -1) } // every word is a sentence of its own
			logits, words, sentences := c.Logits(scope, each(ids(s)), each(s.Mask), s.DropoutKey, s.X.DType())
			return []*Node{logits}, []*Node{words, sentences}
		},
		"memory network":          remember(sequence.MemoryNetwork{Adjust: concentrate}),
		"memory network, linear":  remember(sequence.MemoryNetwork{Linear: true}),
		"translator":              recurrent(sequence.AdditiveScore, 0, sequence.Adjustment{}, sequence.LSTM),
		"translator, LSTM":        recurrent(sequence.AdditiveScore, 3, sequence.Adjustment{}, sequence.LSTM),
		"translator, adjusted":    recurrent(sequence.AdditiveScore, 3, distract, sequence.GRU),
		"translator, dot":         recurrent(sequence.DotScore, 0, concentrate, sequence.LSTM),
		"translator, general":     recurrent(sequence.GeneralScore, 0, sequence.Adjustment{}, sequence.GRU),
		"translator, transformer": translate(sequence.TransformerTranslator{Source: 7, Target: 5, Layer: transformer, Layers: 2, Longest: 3}),
		"Nadaraya-Watson, Gaussian": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			return watson(sequence.NadarayaWatson{Kernel: sequence.Gaussian, Bandwidth: 0.8, Adjust: concentrate}, s)
		},
		"Nadaraya-Watson, Epanechnikov": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			return watson(sequence.NadarayaWatson{Kernel: sequence.Epanechnikov, Bandwidth: 2}, s)
		},
		"Nadaraya-Watson, tricube": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			return watson(sequence.NadarayaWatson{Kernel: sequence.Tricube, Bandwidth: 3}, s)
		},
		"Nadaraya-Watson, boxcar": func(scope *model.Scope, s synlayer.Bags) (bySequence, byWord []*Node) {
			return watson(sequence.NadarayaWatson{Kernel: sequence.Boxcar, Bandwidth: 2}, s)
		},
	}
}

// watson asks for the values at two places, one of them far from every key.
func watson(k sequence.NadarayaWatson, s synlayer.Bags) (bySequence, byWord []*Node) {
	batch := s.X.Shape().Dim(0)
	queries := ConstAs(s.X, slices.Repeat([][][]float64{{{0.1, 0.2, 0.3, 0.4}, {9, 9, 9, 9}}}, batch))
	out, weights := k.Attend(queries, s.X, s.X, s.Mask)
	return []*Node{out}, []*Node{Transpose(weights, 1, 2)}
}

// sentences are a batch in Go.
type sentences struct {
	x    [][][]float64
	mask [][]bool
}

// drawSentences returns four sentences of 1 to 4 words in some length.
func drawSentences(length int) sentences {
	rng := rand.New(rand.NewPCG(3, 9))
	s := sentences{}
	for i := range 4 {
		var x [][]float64
		var mask []bool
		for j := range length {
			row := slices.Repeat([]float64{math.NaN()}, lawFeatures)
			if j <= i {
				for k := range row {
					row[k] = rng.NormFloat64()
				}
			}
			x, mask = append(x, row), append(mask, j <= i)
		}
		s.x, s.mask = append(s.x, x), append(s.mask, mask)
	}
	return s
}

// evaluated is what an encoder makes of sentences: its outputs, the gradient by x and those of the variables.
type evaluated struct {
	bySequence, byWord [][]float64
	gradX, grads       []float64
}

// evaluator compiles an encoder for any shape, with one set of variables, as in training or not.
func evaluator(t *testing.T, backend compute.Backend, dtype dtypes.DType, encode encoder, training bool) func(s sentences) evaluated {
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	var counts [2]int
	exec := model.MustNewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
		x, g := ConvertDType(in[0], dtype), in[0].Graph()
		bags := synlayer.Bags{X: x, Mask: in[1]}
		if training {
			bags.DropoutKey = synlayer.DropoutKey(Const(g, uint32(5)), Const(g, uint32(7)))
		}
		bySequence, byWord := encode(scope, bags)
		counts = [2]int{len(bySequence), len(byWord)}
		var objective []*Node
		objective = append(objective, bySequence...)
		for _, y := range byWord {
			objective = append(objective, ReduceAllSum(Square(y)))
		}
		of := []*Node{x}
		for v := range scope.Store().IterVariables() {
			if v.Trainable && v.DType().IsFloat() && v.InUseByGraph(g) {
				of = append(of, v.NodeValue(g))
			}
		}
		gradients := Gradient(waves(objective...), of...)
		flat := []*Node{zerosOf(x)}
		for _, gradient := range gradients[1:] {
			flat = append(flat, Reshape(gradient, -1))
		}
		return append(append(append([]*Node{}, bySequence...), byWord...), gradients[0], Concatenate(flat, 0))
	}).SetMaxCache(-1)
	return func(s sentences) evaluated {
		t.Helper()
		out := must(exec.Call(s.x, s.mask))
		var e evaluated
		for i, o := range out[:len(out)-2] {
			if i < counts[0] {
				e.bySequence = append(e.bySequence, goldentest.Floats(o))
			} else {
				e.byWord = append(e.byWord, goldentest.Floats(o))
			}
		}
		e.gradX, e.grads = goldentest.Floats(out[len(out)-2]), goldentest.Floats(out[len(out)-1])
		for what, values := range map[string][][]float64{"sequences": e.bySequence, "words": e.byWord, "gradients": {e.gradX, e.grads}} {
			for _, v := range slices.Concat(values...) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("%s: %g", what, v)
				}
			}
		}
		return e
	}
}

// zerosOf is one zero, so that there is always something to join.
func zerosOf(x *Node) *Node { return Reshape(ConstAs(x, 0.0), 1) }

// TestSequenceLaws: padding, even with NaN and invalid word numbers, changes nothing, including what dropout draws for the
// rest, and has output and gradient 0; an empty sequence is defined, has finite gradients and does not affect the batch; a
// sequence alone gives the same as in a batch; values of 1e9 give finite results in float32.
func TestSequenceLaws(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		for what, encode := range encoders() {
			for _, dtype := range []dtypes.DType{dtypes.Float64, dtypes.Float32} {
				if slow(backend) && (dtype == dtypes.Float64 || !slices.Contains([]string{"LSTM", "translator, LSTM", "translator, adjusted", "hierarchical, words"}, what)) {
					continue // these have all the parts; XLA takes seconds to compile each
				}
				t.Run(fmt.Sprintf("%s/%s/%s", name, what, dtype), func(t *testing.T) {
					off := 1e-11
					if dtype == dtypes.Float32 {
						off = 2e-5
					}
					evaluate := evaluator(t, backend, dtype, encode, true)
					batch := drawSentences(lawLength)
					plain := evaluate(batch)
					rows := func(values []float64, i, n int) []float64 { return values[i*len(values)/n : (i+1)*len(values)/n] }

					empty := drawSentences(lawLength)
					empty.mask[2] = make([]bool, lawLength)
					with := evaluate(empty)
					for _, i := range []int{0, 1, 3} {
						for k, y := range with.bySequence {
							within(t, "beside an empty one", rows(y, i, 4), rows(plain.bySequence[k], i, 4), off)
						}
					}
					for k, y := range append(slices.Clip(with.byWord), with.gradX) {
						for _, v := range rows(y, 2, 4) {
							if v != 0 {
								t.Fatalf("output %d or gradient of an empty sentence: %g", k, v)
							}
						}
					}

					// The words are drawn in the same order whatever the length is.
					padded := evaluate(drawSentences(lawLength + 2))
					for k, y := range plain.bySequence {
						within(t, "padded: outputs", padded.bySequence[k], y, off)
					}
					within(t, "padded: gradients", padded.grads, plain.grads, off)
					for k, y := range append(slices.Clip(padded.byWord), padded.gradX) {
						want := append(slices.Clip(plain.byWord), plain.gradX)[k]
						for i := range batch.x {
							long, short := rows(y, i, len(batch.x)), rows(want, i, len(batch.x))
							within(t, "padded: words", long[:len(short)], short, off)
							width := len(short) / lawLength
							for j, v := range long[width*(i+1):] {
								if v != 0 {
									t.Fatalf("output or gradient %g in padding %d of sentence %d", v, j/width, i)
								}
							}
						}
					}
					if slow(backend) {
						return // what follows needs graphs of its own
					}

					// Out of training: what dropout draws depends on the place in the batch.
					calm := evaluator(t, backend, dtype, encode, false)
					together := calm(batch)
					for i := range batch.x {
						lone := calm(sentences{batch.x[i : i+1], batch.mask[i : i+1]})
						for k, y := range lone.bySequence {
							within(t, "alone", y, rows(together.bySequence[k], i, len(batch.x)), off)
						}
						for k, y := range lone.byWord {
							within(t, "alone: words", y, rows(together.byWord[k], i, len(batch.x)), off)
						}
					}

					large := drawSentences(lawLength)
					for _, sentence := range large.x {
						for _, word := range sentence {
							for k := range word {
								word[k] *= 1e9
							}
						}
					}
					evaluate(large)
				})
			}
		}
	}
}

// TestCausal: a word of the target changes what the decoder makes of it, and nothing before it.
func TestCausal(t *testing.T) {
	const n = lawLength // of sentences and of words; sentence i differs from the first in word i
	layer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: lawFeatures, Heads: 2, Adjust: distract}, Inner: 5}
	m := sequence.TransformerTranslator{Source: 4, Target: 6, Layer: layer, Layers: 2, Longest: n}
	words, x := slices.Repeat([][]int32{{1, 3, 4, 2}}, n), slices.Repeat(drawSentences(n).x[n-1:], n)
	for i := 1; i < n; i++ {
		words[i], x[i] = slices.Clone(words[0]), slices.Clone(x[0])
		words[i][i], x[i][i] = 5, []float64{-3, 1, 4, 2}
	}
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		if slow(backend) && dtype == dtypes.Float32 {
			return // the same once more, which takes XLA seconds to compile
		}
		for _, out := range model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, g *Graph) []*Node {
			target := ConvertDType(Const(g, x), dtype)
			source := ConstAs(target, slices.Repeat([][][]float64{{{1, 2, 3, 4}, {4, 3, 1, 0}}}, n))
			y, _, _ := layer.Decode(scope.In("layer"), synlayer.Bags{X: target}, synlayer.Bags{X: source})
			memory := m.Encode(scope, Const(g, slices.Repeat([][]int32{{1, 3, 2}}, n)), nil, nil, dtype)
			logits, _ := m.Logits(scope, memory, Const(g, words), nil)
			return []*Node{y, logits}
		}).MustCall() {
			each := slices.Collect(slices.Chunk(goldentest.Floats(out), out.Size()/n))
			for i := 1; i < n; i++ {
				at, next := i*len(each[i])/n, (i+1)*len(each[i])/n
				near(t, fmt.Sprintf("before another word %d", i), dtype, each[i][:at], each[0][:at])
				if floats.EqualApprox(each[i][at:next], each[0][at:next], 1e-3) {
					t.Errorf("another word %d changes nothing: %v", i, each[i][at:next])
				}
			}
		}
	})
}

// first is the first of two results.
func first[T any](x *Node, _ T) *Node { return x }

// TestPanics: bad sizes and shapes panic with what does not fit.
func TestPanics(t *testing.T) {
	backend := backendtest.Chosen(t)
	bags := func(x *Node) synlayer.Bags { return synlayer.Bags{X: x} }
	words := func(x *Node) *Node { return ConvertDType(x, dtypes.Int32) } // [2, 3, 4]
	lstm := sequence.RNN{Hidden: 3}
	translator := sequence.Translator{Source: 5, Target: 5, Embed: 2, Encoder: lstm, Hidden: 3}
	encode := func(m sequence.Translator) func(scope *model.Scope, x *Node) *Node {
		return func(scope *model.Scope, x *Node) *Node {
			return m.Encode(scope, Reshape(words(x), 6, 4), nil, nil, dtypes.Float64).States
		}
	}
	remember := func(m sequence.MemoryNetwork) func(scope *model.Scope, x *Node) *Node {
		return func(scope *model.Scope, x *Node) *Node {
			return first(m.Logits(scope, words(x), nil, ReduceMax(words(x), 1), nil, dtypes.Float64))
		}
	}
	watson := func(k sequence.NadarayaWatson) func(scope *model.Scope, x *Node) *Node {
		return func(_ *model.Scope, x *Node) *Node { return first(k.Attend(x, x, x, nil)) }
	}
	memory := sequence.MemoryNetwork{Words: 5, Width: 2, Sentences: 3, Hops: 1, Answers: 2}
	sets := sequence.DeepSets{Element: []int{2}, Pooling: synlayer.SumPooling{}, Set: []int{1}}
	with := func(change func(m *sequence.MemoryNetwork)) sequence.MemoryNetwork { m := memory; change(&m); return m }
	translate := func(change func(m *sequence.Translator)) sequence.Translator { m := translator; change(&m); return m }
	for what, c := range map[string]struct {
		message string // a part of it
		build   func(scope *model.Scope, x *Node) *Node
	}{
		"sequences": {"want [batch, length, features]", func(scope *model.Scope, x *Node) *Node {
			return first(lstm.Encode(scope, bags(ReduceSum(x, 0)), nil))
		}},
		"bags": {"or [members, batch, length, features]", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.WordAttention{Width: 2}.Pool(scope, bags(ReduceSum(x, 0))))
		}},
		"mask": {"want booleans", func(scope *model.Scope, x *Node) *Node {
			return first(lstm.Encode(scope, synlayer.Bags{X: x, Mask: ReduceSum(x, -1)}, nil))
		}},
		"dimensions of the mask": {"[2 3]", func(scope *model.Scope, x *Node) *Node {
			return first(lstm.Encode(scope, synlayer.Bags{X: x, Mask: Const(x.Graph(), [][]bool{{true, true}, {true, true}})}, nil))
		}},
		"no state": {"0 hidden features", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.RNN{}.Encode(scope, bags(x), nil))
		}},
		"cell": {"unknown cell", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.RNN{Cell: 2, Hidden: 3}.Encode(scope, bags(x), nil))
		}},
		"dropout of the state": {"RNN with dropout -1", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.RNN{Hidden: 3, Dropout: -1}.Encode(scope, bags(x), nil))
		}},
		"initial state": {"1 arrays as the initial state of an LSTM", func(scope *model.Scope, x *Node) *Node {
			return first(lstm.Encode(scope, bags(x), []*Node{ReduceSum(x, 1)}))
		}},
		"dimensions of the initial state": {"[2 3]", func(scope *model.Scope, x *Node) *Node {
			return first(lstm.Encode(scope, bags(x), []*Node{ReduceSum(x, 1), ReduceSum(x, 1)}))
		}},
		"spatial dropout": {"SpatialDropout with dropout 1", func(scope *model.Scope, x *Node) *Node { return sequence.SpatialDropout(scope, bags(x), 1) }},
		"gamma":           {"gamma 0", func(_ *model.Scope, x *Node) *Node { return sequence.Adjustment{Iterations: 1}.Adjust(x) }},
		"heads": {"3 heads", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.MultiHeadAttention{Embed: 4, Heads: 3}.Attend(scope, x, x, x, nil))
		}},
		"values": {"want [batch, queries or keys, features]", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.MultiHeadAttention{Embed: 4, Heads: 2}.Attend(scope, x, x, SliceAxis(x, 1, AxisRange(0, 2)), nil))
		}},
		"width": {"TransformerLayer of 8 features", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 8, Heads: 2}, Inner: 3}.Encode(scope, bags(x)))
		}},
		"dropout of a transformer": {"TransformerLayer with dropout 1", func(scope *model.Scope, x *Node) *Node {
			y, _, _ := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 4, Heads: 2}, Inner: 3, Dropout: 1}.Decode(scope, bags(x), bags(x))
			return y
		}},
		"positions": {"Positions of x", func(_ *model.Scope, x *Node) *Node { return sequence.Positions(ReduceSum(x, 0)) }},
		"vocabulary": {"Embedding of 0 words", func(scope *model.Scope, x *Node) *Node {
			return sequence.Embedding{Width: 2}.Embed(scope, words(x), dtypes.Float64)
		}},
		"pretrained width": {"word 3 has a pretrained vector of 3 features, want words below 5 and 2 features", func(scope *model.Scope, x *Node) *Node {
			return sequence.Embedding{Words: 5, Width: 2, Pretrained: map[int32][]float32{3: {1, 2, 3}}}.Embed(scope, words(x), dtypes.Float64)
		}},
		"pretrained word": {"word 5 has", func(scope *model.Scope, x *Node) *Node {
			return sequence.Embedding{Words: 5, Width: 2, Pretrained: map[int32][]float32{5: {1, 2}}}.Embed(scope, words(x), dtypes.Float64)
		}},
		"words": {"want integers", func(scope *model.Scope, x *Node) *Node {
			return sequence.Embedding{Words: 5, Width: 2}.Embed(scope, x, x.DType())
		}},
		"document": {"want [batch, sentences, words, features]", func(scope *model.Scope, x *Node) *Node {
			documents, _, _ := sequence.DefaultHierarchicalAttention().Pool(scope, x, nil, nil)
			return documents
		}},
		"words of a document": {"want [batch, sentences, words]", func(scope *model.Scope, x *Node) *Node {
			c := sequence.DocumentClassifier{Embedding: sequence.Embedding{Words: 5, Width: 2}, Attention: sequence.DefaultHierarchicalAttention(), Classes: 2}
			logits, _, _ := c.Logits(scope, ReduceMax(words(x), 0), nil, nil, dtypes.Float64)
			return logits
		}},
		"sizes of a translator":   {"an alignment of -1", encode(translate(func(m *sequence.Translator) { m.Align = -1 }))},
		"alignment of a score":    {"the score dot and an alignment of 2", encode(translate(func(m *sequence.Translator) { m.Score, m.Align = sequence.DotScore, 2 }))},
		"unknown score":           {"the score unknown", encode(translate(func(m *sequence.Translator) { m.Score = 3 }))},
		"features of a score":     {"want as many", encode(translate(func(m *sequence.Translator) { m.Score, m.Hidden = sequence.DotScore, 2 }))},
		"dropout of a translator": {"Translator with dropout 1", encode(translate(func(m *sequence.Translator) { m.Dropout = 1 }))},
		"sentences": {"sentences are", func(scope *model.Scope, x *Node) *Node {
			return translator.Encode(scope, words(x), nil, nil, dtypes.Float64).States
		}},
		"sizes of a transformer": {"0 layers", func(scope *model.Scope, x *Node) *Node {
			return sequence.TransformerTranslator{Source: 5, Target: 5, Longest: 3}.Encode(scope, Reshape(words(x), 6, 4), nil, nil, dtypes.Float64).States
		}},
		"hops":              {"0 hops", remember(with(func(m *sequence.MemoryNetwork) { m.Hops = 0 }))},
		"linear adjustment": {"linear MemoryNetwork", remember(with(func(m *sequence.MemoryNetwork) { m.Linear, m.Adjust = true, distract }))},
		"stories": {"want [batch, sentences, words] and [batch, words]", func(scope *model.Scope, x *Node) *Node {
			return first(memory.Logits(scope, words(x), nil, words(x), nil, dtypes.Float64))
		}},
		"mask of a story": {"want booleans", func(scope *model.Scope, x *Node) *Node {
			return first(memory.Logits(scope, words(x), x, ReduceMax(words(x), 1), nil, dtypes.Float64))
		}},
		"layers of a set": {"without layers of the set", func(scope *model.Scope, x *Node) *Node {
			return first(sequence.DeepSets{Pooling: synlayer.SumPooling{}}.Apply(scope, bags(x)))
		}},
		"scores": {"want one feature in the last", func(scope *model.Scope, x *Node) *Node {
			return sequence.DeepSets{Pooling: synlayer.SumPooling{}, Set: []int{2}}.Scores(scope, bags(x), x)
		}},
		"candidates": {"want [batch, candidates, features]", func(scope *model.Scope, x *Node) *Node { return sets.Scores(scope, bags(x), ReduceSum(x, 1)) }},
		"chosen":     {"[2 3 4]", func(_ *model.Scope, x *Node) *Node { return sequence.RankingLoss(x, ReduceMax(x, 0), 1) }},
		"bandwidth":  {"bandwidth 0", watson(sequence.NadarayaWatson{})},
		"kernel":     {"unknown kernel", watson(sequence.NadarayaWatson{Kernel: 4, Bandwidth: 1})},
		"tiny":       {"too small for Float64", watson(sequence.NadarayaWatson{Bandwidth: 1e-155})},
		"places": {"want [batch, queries or keys, features]", func(_ *model.Scope, x *Node) *Node {
			return first(sequence.NadarayaWatson{Bandwidth: 1}.Attend(ReduceSum(x, 0), x, x, nil))
		}},
	} {
		t.Run(what, func(t *testing.T) {
			exec := model.MustNewExec(backend, model.NewStore(), c.build)
			_, err := exec.Call(tensors.FromFlatDataAndDimensions(make([]float64, 24), 2, 3, 4))
			if err == nil || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v, want a panic with %q", err, c.message)
			}
		})
	}
}
