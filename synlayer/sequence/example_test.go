package sequence_test

import (
	"fmt"
	"log"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
	"synpool/synlayer/sequence"
)

// show runs a graph with variables of a fixed seed and prints the shapes of its results, and the values of the last.
func show(f func(scope *model.Scope, g *Graph) []*Node) {
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	out := model.MustNewExec(gobackend.GetBackend(), store, f).MustCall()
	for _, o := range out {
		fmt.Print(o.Shape().Dimensions, " ")
	}
	fmt.Printf("%.2f\n", floats(out[len(out)-1]))
}

// Two sentences of numbers of words, the second shorter.
func text(g *Graph) (words, mask *Node) {
	return Const(g, [][]int32{{4, 2, 7}, {3, 0, 0}}), Const(g, [][]bool{{true, true, true}, {true, false, false}})
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

func ExampleTransformerLayer() {
	layer := sequence.TransformerLayer{Attention: sequence.MultiHeadAttention{Embed: 8, Heads: 2}, Inner: 16}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		x := sequence.Embedding{Words: 10, Width: 8}.Embed(scope.In("embedding"), words, dtypes.Float32)
		y, weights := layer.Encode(scope, synlayer.Bags{X: sequence.Positions(x), Mask: mask})
		return []*Node{y, SliceAxis(SliceAxis(weights, 0, AxisElem(1)), 2, AxisElem(0))}
	})
	// Output: [2 3 8] [1 2 1 3] [1.00 0.00 0.00 1.00 0.00 0.00]
}

func ExampleTranslator() {
	m := sequence.Translator{
		Source: 10, Target: 12, Embed: 8, Hidden: 6, Align: 5,
		Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: 4, Bidirectional: true},
		Adjust:  sequence.Adjustment{Iterations: 3, Gamma: 0.5},
	}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		memory := m.Encode(scope, words, mask, nil, dtypes.Float32)
		logits, alignments := m.Logits(scope, memory, Const(g, [][]int32{{2, 5, 6}, {2, 9, 0}}), nil)
		return []*Node{logits, alignments, SliceAxis(SliceAxis(alignments, 0, AxisElem(1)), 1, AxisElem(0))}
	})
	// Output: [2 3 12] [2 3 3] [1 1 3] [1.00 0.00 0.00]
}

func ExampleMemoryNetwork() {
	m := sequence.MemoryNetwork{Words: 10, Width: 8, Sentences: 5, Hops: 3, Answers: 4}
	show(func(scope *model.Scope, g *Graph) []*Node {
		words, mask := text(g)
		logits, weights := m.Logits(scope, ExpandAxes(words, 0), ExpandAxes(mask, 0), Const(g, [][]int32{{8, 1}}), Const(g, [][]bool{{true, true}}), dtypes.Float32)
		return []*Node{logits, weights}
	})
	// Output: [1 4] [1 3 2] [0.49 0.51 0.53 0.47 0.52 0.48]
}

func ExampleDeepSets_Scores() {
	d := sequence.DeepSets{Element: []int{8}, Pooling: synlayer.MeanPooling{}, Set: []int{8, 1}}
	store := model.NewStore()
	exec := model.MustNewExec(gobackend.GetBackend(), store, func(scope *model.Scope, set, candidates *Node) *Node {
		return d.Scores(scope, synlayer.Bags{X: set}, candidates)
	})
	scores := exec.MustCall([][][]float32{{{1, 0}, {1.1, 0}, {0.9, 0.1}}}, [][][]float32{{{1, 0.1}, {5, 5}}})[0]
	fmt.Println(scores.Shape().Dimensions)
	// Output: [1 2]
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

func ExampleBeam() {
	// A language of two words and an end, 0, that is likelier after the second word.
	b := sequence.Beam{Width: 2, MaxLength: 4, Begin: 3}
	found, err := b.Search(1, func(_, words []int32) ([]sequence.Continuations, error) {
		var rest []sequence.Continuations
		for _, w := range words {
			c := sequence.Continuations{Words: []int32{1, 2}, LogProbs: []float64{-0.5, -0.9}}
			if w == 2 {
				c = sequence.Continuations{Words: []int32{0, 1}, LogProbs: []float64{-0.1, -2}}
			}
			rest = append(rest, c)
		}
		return rest, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v with log-probability %.1f\n", found[0].Words, found[0].LogProb)
	// Output: [2] with log-probability -1.0
}

func ExampleAdjustment() {
	show(func(_ *model.Scope, g *Graph) []*Node {
		return []*Node{sequence.Adjustment{Iterations: -3, Gamma: 0.5, Renormalise: true}.Adjust(Const(g, [][]float64{{0.7, 0.2, 0.1, 0}}))}
	})
	// Output: [1 4] [0.42 0.33 0.25 0.00]
}
