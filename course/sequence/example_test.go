package sequence_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"synpool/course/sequence"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// show runs a graph with variables of a fixed seed and prints the shapes of its results, and the values of the last.
func show(f func(scope *model.Scope, g *Graph) []*Node) {
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	out := model.MustNewExec(gobackend.GetBackend(), store, f).MustCall()
	for _, o := range out {
		fmt.Print(o.Shape().Dimensions, " ")
	}
	fmt.Printf("%.2f\n", goldentest.Floats(out[len(out)-1]))
}

// Two sentences of numbers of words, the second shorter.
func text(g *Graph) (words, mask *Node) {
	return Const(g, [][]int32{{4, 2, 7}, {3, 0, 0}}), Const(g, [][]bool{{true, true, true}, {true, false, false}})
}

// The vectors of the words of text.
func embedded(scope *model.Scope, g *Graph) synlayer.Bags {
	words, mask := text(g)
	return synlayer.Bags{X: sequence.Embedding{Words: 10, Width: 4}.Embed(scope.In("embedding"), words, dtypes.Float32), Mask: mask}
}

func ExampleEmbedding_Embed() {
	show(func(scope *model.Scope, g *Graph) []*Node {
		// The vocabulary has the numbers 0 to 4.
		return []*Node{sequence.Embedding{Words: 5, Width: 2}.Embed(scope, Const(g, []int32{3, 4, 5, 3}), dtypes.Float32)}
	})
	// Word 3 starts from a pretrained vector, word 4 as before.
	show(func(scope *model.Scope, g *Graph) []*Node {
		e := sequence.Embedding{Words: 5, Width: 2, Pretrained: map[int32][]float32{3: {1, 2}}}
		return []*Node{e.Embed(scope, Const(g, []int32{3, 4, 5, 3}), dtypes.Float32)}
	})
	// Output:
	// [4 2] [0.10 -0.18 0.01 0.06 0.00 0.00 0.10 -0.18]
	// [4 2] [1.00 2.00 0.01 0.06 0.00 0.00 1.00 2.00]
}

func ExampleSpatialDropout() {
	show(func(scope *model.Scope, g *Graph) []*Node {
		// One sentence of three words with four features, in the first step of a training with the seed 7.
		s := synlayer.Bags{X: Const(g, [][][]float64{{{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}}}), DropoutKey: synlayer.DropoutKey(Const(g, uint32(7)), Const(g, uint32(1)))}
		return []*Node{sequence.SpatialDropout(scope, s, 0.5)}
	})
	// Without a key, outside training, nothing is dropped.
	show(func(scope *model.Scope, g *Graph) []*Node {
		return []*Node{sequence.SpatialDropout(scope, synlayer.Bags{X: Const(g, [][][]float64{{{1, 2, 3, 4}}})}, 0.5)}
	})
	// Output:
	// [1 3 4] [0.00 4.00 6.00 0.00 0.00 4.00 6.00 0.00 0.00 4.00 6.00 0.00]
	// [1 1 4] [1.00 2.00 3.00 4.00]
}

func ExampleRNN_Encode() {
	rnn := sequence.RNN{Cell: sequence.LSTM, Hidden: 2}
	show(func(scope *model.Scope, g *Graph) []*Node {
		states, last := rnn.Encode(scope, embedded(scope, g), nil)
		return []*Node{last[0], last[1], states}
	})
	// Output: [2 2] [2 2] [2 3 2] [-0.18 0.04 -0.27 0.07 -0.32 0.06 -0.22 0.04 0.00 0.00 0.00 0.00]
}

func ExamplePositions() {
	show(func(_ *model.Scope, g *Graph) []*Node {
		return []*Node{sequence.Positions(Const(g, [][][]float64{{{0, 0, 0, 0}, {0, 0, 0, 0}}}))}
	})
	// Output: [1 2 4] [0.00 1.00 0.00 1.00 0.84 0.54 0.01 1.00]
}

func ExampleMultiHeadAttention_Attend() {
	attention := sequence.MultiHeadAttention{Embed: 4, Heads: 2, Causal: true}
	show(func(scope *model.Scope, g *Graph) []*Node {
		s := embedded(scope, g)
		out, weights := attention.Attend(scope, s.X, s.X, s.X, s.Mask)
		// Those of the second head in the first sentence.
		return []*Node{out, weights, SliceAxis(SliceAxis(weights, 0, AxisElem(0)), 1, AxisElem(1))}
	})
	// Output: [2 3 4] [2 2 3 3] [1 1 3 3] [1.00 0.00 0.00 0.49 0.51 0.00 0.34 0.33 0.33]
}

func ExampleTransformerLayer_Decode() {
	layer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 4, Heads: 2}, Inner: 16}
	show(func(scope *model.Scope, g *Graph) []*Node {
		source := embedded(scope, g)
		target := synlayer.Bags{X: sequence.Positions(Const(g, [][][]float32{{{1, 0, 0, 1}, {0, 1, 0, 1}}, {{0, 0, 1, 1}, {1, 0, 0, 1}}}))}
		y, self, cross := layer.Decode(scope, target, source)
		// The weights of the source words, of the first head.
		return []*Node{y, self, cross, SliceAxis(cross, 1, AxisElem(0))}
	})
	// Output: [2 2 4] [2 2 2 2] [2 2 2 3] [2 1 2 3] [0.34 0.40 0.26 0.34 0.40 0.26 1.00 0.00 0.00 1.00 0.00 0.00]
}

func ExampleTransformerLayer() {
	layer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 4, Heads: 2}, Inner: 16}
	show(func(scope *model.Scope, g *Graph) []*Node {
		s := embedded(scope, g)
		s.X = sequence.Positions(s.X)
		y, weights := layer.Encode(scope, s)
		return []*Node{weights, y}
	})
	// Output: [2 2 3 3] [2 3 4] [-0.01 1.40 -1.43 0.05 0.73 0.59 -1.72 0.40 1.09 -0.51 -1.38 0.80 0.39 1.16 -1.58 0.03 0.00 0.00 0.00 0.00 0.00 0.00 0.00 0.00]
}

func ExampleWordAttention() {
	pooling := sequence.WordAttention{Width: 5, Adjust: sequence.Adjustment{Iterations: 6, Gamma: 0.5, Renormalise: true}}
	show(func(scope *model.Scope, g *Graph) []*Node {
		pooled, weights := pooling.Pool(scope, embedded(scope, g))
		return []*Node{pooled, weights}
	})
	// Output: [2 4] [2 1 3] [0.03 0.05 0.93 1.00 0.00 0.00]
}

func ExampleDocumentAttention() {
	show(func(scope *model.Scope, g *Graph) []*Node {
		pooled, weights := sequence.DocumentAttention{Width: 5}.Pool(scope, embedded(scope, g))
		return []*Node{pooled, weights}
	})
	// Output: [2 4] [2 1 3] [0.33 0.44 0.24 1.00 0.00 0.00]
}

func ExampleHierarchicalAttention() {
	show(func(scope *model.Scope, g *Graph) []*Node {
		s := embedded(scope, g)
		// One document of both sentences.
		documents, words, sentences := sequence.DefaultHierarchicalAttention().Pool(scope, ExpandAxes(s.X, 0), ExpandAxes(s.Mask, 0), nil)
		return []*Node{documents, sentences, words}
	})
	// Output: [1 100] [1 2] [1 2 3] [0.34 0.34 0.33 1.00 0.00 0.00]
}

func ExampleClassifier() {
	c := sequence.Classifier{
		Embedding: sequence.Embedding{Words: 10, Width: 8}, Dropout: 0.3,
		Encoder: &sequence.RNN{Cell: sequence.LSTM, Hidden: 6, Bidirectional: true},
		Pooling: sequence.WordAttention{Width: 5}, Classes: 3,
	}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		logits, weights := c.Logits(scope, words, mask, nil, dtypes.Float32)
		return []*Node{logits, weights}
	})
	// Output: [2 3] [2 1 3] [0.33 0.33 0.34 1.00 0.00 0.00]
}

func ExampleDocumentClassifier() {
	c := sequence.DocumentClassifier{Embedding: sequence.Embedding{Words: 10, Width: 8}, Attention: sequence.DefaultHierarchicalAttention(), Classes: 2}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		// One document of both sentences.
		logits, ofWords, ofSentences := c.Logits(scope, ExpandAxes(words, 0), ExpandAxes(mask, 0), nil, dtypes.Float32)
		return []*Node{logits, ofWords, ofSentences}
	})
	// Output: [1 2] [1 2 3] [1 2] [0.50 0.50]
}

func ExampleTranslator() {
	m := sequence.Translator{
		Source: 10, Target: 12, Embed: 8, Hidden: 6, Align: 5,
		Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: 4, Bidirectional: true},
		Adjust:  sequence.Adjustment{Iterations: 6, Gamma: 0.5, Renormalise: true},
	}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		memory := m.Encode(scope, words, mask, nil, dtypes.Float32)
		logits, alignments := m.Logits(scope, memory, Const(g, [][]int32{{2, 5, 6}, {2, 9, 0}}), nil)
		// The alignments of the first sentence.
		return []*Node{logits, alignments, SliceAxis(alignments, 0, AxisElem(0))}
	})
	// Output: [2 3 12] [2 3 3] [1 3 3] [0.52 0.17 0.32 0.51 0.16 0.33 0.50 0.17 0.33]
}

func ExampleTransformerTranslator() {
	m := sequence.TransformerTranslator{
		Source: 10, Target: 12, Layers: 2, Longest: 20,
		Layer: sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 8, Heads: 2}, Inner: 32},
	}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		memory := m.Encode(scope, words, mask, nil, dtypes.Float32)
		logits, alignments := m.Logits(scope, memory, Const(g, [][]int32{{2, 5, 6}, {2, 9, 0}}), nil)
		// The alignments of the first sentence.
		return []*Node{logits, alignments, SliceAxis(alignments, 0, AxisElem(0))}
	})
	// Output: [2 3 12] [2 3 3] [1 3 3] [0.30 0.33 0.37 0.30 0.34 0.37 0.30 0.34 0.37]
}

// A language of the words 3, 4 and 5 is translated into one of 6, 7 and 8, word by word. 1 begins a sentence, 2 ends it.
func ExampleNewTranslation() {
	m := sequence.Translator{Source: 9, Target: 9, Embed: 8, Hidden: 16, Align: 8, Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: 8, Bidirectional: true}}
	backend, store := gobackend.GetBackend(), model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	adam := optimizer.Adam().LearningRate(0.02).Done()
	step := model.MustNewExec(backend, store, func(scope *model.Scope, g *Graph) *Node {
		scope.SetTraining(g, true)
		source := Const(g, [][]int32{{3, 4}, {4, 5}, {5, 3}})
		before := Const(g, [][]int32{{1, 6, 7}, {1, 7, 8}, {1, 8, 6}})
		after := Const(g, [][]int32{{6, 7, 2}, {7, 8, 2}, {8, 6, 2}})
		logits, _ := m.Logits(scope, m.Encode(scope, source, nil, nil, dtypes.Float32), before, nil)
		loss := Neg(ReduceAllMean(ReduceSum(Mul(OneHot(after, m.Target, dtypes.Float32), LogSoftmax(logits)), -1)))
		adam.UpdateGraph(scope, g, loss)
		return loss
	})
	for range 100 {
		step.MustCall()
	}
	beam := sequence.Beam{Width: 2, MaxLength: 4, Begin: 1, End: 2}
	translation := must(sequence.NewTranslation(backend, store, m, beam, 3, 2))
	found := must(translation.Translate([][]int32{{5, 3}, {3, 4}}))
	for _, h := range found {
		fmt.Println(h.Words)
	}
	// Output:
	// [8 6]
	// [6 7]
}

func ExampleMemoryNetwork() {
	m := sequence.MemoryNetwork{Words: 10, Width: 8, Sentences: 5, Hops: 3, Answers: 4}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		logits, weights := m.Logits(scope, ExpandAxes(words, 0), ExpandAxes(mask, 0), Const(g, [][]int32{{8, 1}}), nil, dtypes.Float32)
		return []*Node{logits, weights}
	})
	// Output: [1 4] [1 3 2] [0.49 0.51 0.53 0.47 0.52 0.48]
}

func ExampleDeepSets_Scores() {
	d := sequence.DeepSets{Element: []int{8}, Pooling: synlayer.MeanPooling{}, Set: []int{8, 1}}
	show(func(scope *model.Scope, g *Graph) []*Node {
		set, candidates := Const(g, [][][]float32{{{1, 0}, {1.1, 0}, {0.9, 0.1}}}), Const(g, [][][]float32{{{1, 0.1}, {5, 5}}})
		return []*Node{d.Scores(scope, synlayer.Bags{X: set}, candidates)}
	})
	// Output: [1 2] [0.18 0.22]
}

func ExampleRankingLoss() {
	scores, chosen := [][]float64{{1, 3, 2}, {0, 0, 5}, {4, 1, 1}}, [][]bool{{false, true, false}, {true, true, false}, {false, false, false}}
	// 3 before 1 and 2 loses 0 and 0.5; 0 before 5, twice, 6.5 each; the last row has no pair.
	loss := MustNewExec(gobackend.GetBackend(), func(s, c *Node) *Node { return sequence.RankingLoss(s, c, 1.5) }).MustCall(scores, chosen)[0]
	fmt.Println(loss.Value())
	// Output: 3.375
}

func ExampleNadarayaWatson_Attend() {
	k := sequence.NadarayaWatson{Kernel: sequence.Gaussian, Bandwidth: 0.5}
	show(func(_ *model.Scope, g *Graph) []*Node {
		keys, values := Const(g, [][][]float64{{{0}, {1}, {2}}}), Const(g, [][][]float64{{{10}, {20}, {30}}})
		out, weights := k.Attend(Const(g, [][][]float64{{{0.4}, {1.5}}}), keys, values, nil)
		return []*Node{weights, out}
	})
	// Output: [1 2 3] [1 2 1] [14.09 24.86]
}

func ExampleNadarayaWatson_Predict() {
	k := sequence.NadarayaWatson{Kernel: sequence.Gaussian, Bandwidth: 0.5}
	y, weights, err := k.Predict([]float64{0.4}, [][]float64{{0}, {1}, {2}}, []float64{10, 20, 30})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %.2f\n", y, weights)
	// Output: 14.09 [0.60 0.40 0.00]
}

func ExampleLeaveOneOut() {
	keys, values := [][]float64{{0}, {1}, {2}, {3}, {4}}, []float64{0, 1.8, 1.4, 3.6, 3}
	best, errors, err := sequence.LeaveOneOut([]sequence.NadarayaWatson{{Bandwidth: 0.2}, {Bandwidth: 0.8}, {Bandwidth: 3}}, keys, values)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%g %.2f\n", best.Bandwidth, errors)
	// Output: 0.8 [1.69 1.53 2.04]
}

func ExampleAdjustment() {
	show(func(_ *model.Scope, g *Graph) []*Node {
		return []*Node{sequence.Adjustment{Iterations: -3, Gamma: 0.5, Renormalise: true}.Adjust(Const(g, [][]float64{{0.7, 0.2, 0.1, 0}}))}
	})
	// Output: [1 4] [0.42 0.33 0.25 0.00]
}
