package sequence

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// TransformerTranslator is the encoder-decoder model of Vaswani et al. 2017. The encoder's layers read the words of the source;
// those of the decoder read the previous words of the target, and attend to the encoder's outputs H:
//
//	x = √d E_word + position,  H = layers(x),  y = layers(x', H),  logits = y W_o + b_o
//
// d is Layer.Attention.Embed, the number of features, and the positions are those of [Positions]. With Layer.NormFirst, a layer
// norm follows the last layer of the encoder and of the decoder. Layer.Dropout also acts on x. The alignments are the weights
// of the source words in the last layer, averaged over the heads.
//
// Difference: in the paper, both embeddings and W_o are one matrix, which needs a common vocabulary of both languages.
//
// Variables, by path below the scope: source and target (weights of [Embedding]), those of [TransformerLayer] below encoder_0,
// encoder_1, ... and decoder_0, decoder_1, ..., encoder_norm and decoder_norm (gain, bias; NormFirst only), and output
// (weights, bias).
type TransformerTranslator struct {
	Source, Target int // sizes of the vocabularies, including reserved words
	Layer          TransformerLayer
	Layers         int // number of layers of the encoder, and of the decoder
	Longest        int // most words per target that Next decodes, including the end
}

func (m TransformerTranslator) check() {
	if m.Source < 1 || m.Target < 1 || m.Layers < 1 || m.Longest < 1 {
		exceptions.Panicf("sequence: TransformerTranslator of %d to %d words with %d layers and up to %d words per target, want 1 or more of each", m.Source, m.Target, m.Layers, m.Longest)
	}
}

// Encode encodes sources, given as numbers of words [batch, length]. mask [batch, length] is true for a real word.
func (m TransformerTranslator) Encode(scope *model.Scope, source, mask, key *Node, dtype dtypes.DType) Memory {
	m.check()
	s := synlayer.Bags{X: m.embed(scope.In("source"), m.Source, source, nil, key, dtype), DropoutKey: key}
	s.X, s.Mask = masked(s.X, mask)
	for i := range m.Layers {
		s.X, _ = m.Layer.Encode(scope.In("encoder_%d", i), s)
	}
	states := zeroUnless(s.Mask, m.norm(scope, "encoder_norm", s.X))
	var keys []*Node
	for i := range m.Layers {
		keys = append(keys, m.keysAndValues(scope.At("decoder_%d", i).At("cross"), states))
	}
	batch, g := states.Shape().Dim(0), states.Graph()
	memory := Memory{States: states, Keys: Concatenate(keys, -1), Mask: s.Mask, Longest: m.Longest}
	memory.Start = []*Node{zeros(states, batch, m.Longest, memory.Keys.Shape().Dim(-1)), Zeros(g, shapes.Make(dtypes.Int32, batch))}
	return memory
}

// Logits is [Translator.Logits].
func (m TransformerTranslator) Logits(scope *model.Scope, memory Memory, before, key *Node) (logits, alignments *Node) {
	logits, alignments, _ = m.decode(scope, memory, nil, before, key)
	return logits, alignments
}

// Next is [Translator.Next]. The state has the keys and values of the words so far [rows, Longest, 2·Layers·d], and their
// number [rows].
func (m TransformerTranslator) Next(scope *model.Scope, memory Memory, state []*Node, before *Node) (logits *Node, next []*Node, alignment *Node) {
	logits, alignment, next = m.decode(scope, memory, state, ExpandAxes(before, 1), nil)
	return Squeeze(logits, 1), next, Squeeze(alignment, 1)
}

// decode decodes the words before [batch, steps]: whole targets, or one word after the state.
func (m TransformerTranslator) decode(scope *model.Scope, memory Memory, state []*Node, before, key *Node) (logits, alignments *Node, next []*Node) {
	m.check()
	g, batch, steps := before.Graph(), before.Shape().Dim(0), before.Shape().Dim(-1)
	var position, here, seen *Node // [batch], [batch, Longest], [batch, steps, steps or Longest]
	var kept []*Node               // keys and values of the words so far, of each layer
	if state == nil {
		seen = BroadcastToDims(ExpandAxes(upTo(g, steps, steps), 0), batch, steps, steps)
	} else {
		kept, position = Split(state[0], -1, m.Layers), state[1]
		places, now := Iota(g, shapes.Make(dtypes.Int32, batch, m.Longest), 1), BroadcastToDims(ExpandAxes(position, 1), batch, m.Longest)
		here, seen = Equal(places, now), ExpandAxes(LessOrEqual(places, now), 1)
	}
	x := m.embed(scope.In("target"), m.Target, before, position, key, memory.States.DType())
	ofSource := BroadcastToDims(ExpandAxes(memory.Mask, 1), batch, steps, memory.Mask.Shape().Dim(1))
	attend := func(scope *model.Scope, query, keysAndValues, seen *Node) (out, weights *Node) {
		kv := Split(keysAndValues, -1, 2)
		return m.Layer.Attention.attendTo(scope, query, kv[0], kv[1], seen)
	}
	for i, keys := range Split(memory.Keys, -1, m.Layers) {
		x, _, alignments = m.Layer.decode(scope.In("decoder_%d", i), x, key, func(scope *model.Scope, x *Node) (out, weights *Node) {
			own := m.keysAndValues(scope, x)
			if state != nil {
				own = Where(here, BroadcastToDims(own, kept[i].Shape().Dimensions...), kept[i])
				kept[i] = own
			}
			return attend(scope, x, own, seen)
		}, func(scope *model.Scope, x *Node) (out, weights *Node) {
			return attend(scope, x, keys, ofSource)
		})
	}
	if state != nil {
		next = []*Node{Concatenate(kept, -1), AddScalar(position, 1)}
	}
	logits = synlayer.Dense(scope.In("output"), m.norm(scope, "decoder_norm", x), 0, m.Target)
	return logits, ReduceMean(alignments, 1), next
}

// keysAndValues returns the keys and the values of an attention to x [batch, items, d], one after the other [batch, items, 2·d].
func (m TransformerTranslator) keysAndValues(scope *model.Scope, x *Node) *Node {
	return Concatenate([]*Node{m.Layer.Attention.project(scope, "key", x), m.Layer.Attention.project(scope, "value", x)}, -1)
}

// embed returns the embedded words [batch, length, d] with their positions. They begin at first [batch], of one word per
// sentence, or at 0 if that is nil.
func (m TransformerTranslator) embed(scope *model.Scope, vocabulary int, words, first, key *Node, dtype dtypes.DType) *Node {
	checkSentences(words)
	width := m.Layer.Attention.Embed
	x := MulScalar(Embedding{Words: vocabulary, Width: width}.Embed(scope, words, dtype), math.Sqrt(float64(width)))
	if first == nil {
		x = Positions(x)
	} else {
		x = Add(x, ExpandAxes(Gather(ConstAs(x, positions(m.Longest, width)), ExpandAxes(first, -1)), 1))
	}
	return drop(scope.In("dropout"), x, m.Layer.Dropout, key)
}

// norm is the layer norm after the last layer, if there is one.
func (m TransformerTranslator) norm(scope *model.Scope, name string, x *Node) *Node {
	if !m.Layer.NormFirst {
		return x
	}
	return synlayer.LayerNorm(scope.In("%s", name), x, 0)
}
