package sequence

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Translator is an encoder-decoder model (sequence to sequence). The decoder's state starts as tanh(W [last state of the
// encoder] + b), separately for h and, in an LSTM, c. With an [AdditiveScore] and Align = 0 the decoder gets nothing else from
// the source (Sutskever et al. 2014); otherwise it attends to the encoder's states before every step (Bahdanau et al. 2015):
//
//	e_j = score(s, H_j),  α = softmax over j of e,  c = Σ α_j H_j,  s' = cell(s, [y, c])
//	logits = tanh([s', c, y] W_r + b_r) W_o + b_o
//
// s and s' are the decoder's h before and after the step, y is the embedded previous word, H are the encoder's states. The
// recurrences are those of [RNN].
//
// Differences: Bahdanau et al. start from the last state of the encoder's backward direction alone, use s instead of s' and
// maxout instead of tanh in the readout, and apply the reset gate inside the product (see [GRU]). Sutskever et al. have four
// layers that read the source backwards, pass on their state without a map, and have no readout layer before the output. Luong
// et al. score s', so their c enters the readout alone, which the next step reads.
//
// Variables, by path below the scope: source and target (weights of [Embedding]), those of the encoder below encoder,
// bridge_0 and bridge_1 (weights, bias), decoder (weights, recurrent, bias, recurrent_bias), readout and output (weights,
// bias); with attention also decoder/context [states' features, gates·Hidden]; with an additive score key (weights, bias), query
// [Hidden, Align] and score [Align], with a general one key/weights [states' features, Hidden].
type Translator struct {
	Source, Target int // sizes of the vocabularies, including reserved words
	Embed          int // number of features of an embedded word
	Encoder        RNN // the decoder has the same kind of cell
	Hidden         int // number of features of the decoder's state
	Score          Score
	Align          int // number of features of an additive score's hidden layer, 0 for no attention; 0 for the other scores
	Adjust         Adjustment
	Dropout        float64 // dropout rate of embedded words and the readout in training
}

// Memory is what the decoder gets from the sources.
type Memory struct {
	States  *Node   // [batch, length, features]
	Keys    *Node   // [batch, length, Align or Hidden]; of a transformer [batch, length, 2·Layers·d]; nil without attention
	Mask    *Node   // [batch, length]
	Start   []*Node // the decoder's initial state, each [batch, Hidden]; of a transformer see [TransformerTranslator.Next]
	Longest int     // most words per target that Next decodes, 0 for no limit
}

func (m Translator) check() {
	if m.Source < 1 || m.Target < 1 || m.Embed < 1 || m.Hidden < 1 || m.Align < 0 {
		exceptions.Panicf("sequence: Translator of %d to %d words by %d features, a state of %d and an alignment of %d, want 1 or more of each but the last", m.Source, m.Target, m.Embed, m.Hidden, m.Align)
	}
	if m.Score < 0 || int(m.Score) >= len(scoreNames) || m.Score != AdditiveScore && m.Align > 0 {
		exceptions.Panicf("sequence: Translator with the score %s and an alignment of %d, want a score of this package, and an alignment of 0 unless it is additive", m.Score, m.Align)
	}
	checkRate("Translator", m.Dropout)
}

// Encode encodes sources, given as numbers of words [batch, length]. mask [batch, length] is true for a real word.
func (m Translator) Encode(scope *model.Scope, source, mask, key *Node, dtype dtypes.DType) Memory {
	m.check()
	x := m.embed(scope.In("source"), m.Source, source, key, dtype)
	_, mask = masked(x, mask)
	states, last := m.Encoder.Encode(scope.In("encoder"), synlayer.Bags{X: x, Mask: mask, DropoutKey: key}, nil)
	memory := Memory{States: states, Mask: mask}
	for i, l := range last {
		memory.Start = append(memory.Start, Tanh(synlayer.Dense(scope.In("bridge_%d", i), l, 0, m.Hidden)))
	}
	switch features := states.Shape().Dim(-1); {
	case m.Score == GeneralScore:
		w := synlayer.Variable(scope.In("key"), states.Graph(), dtype, "weights", synlayer.XavierUniform(features, m.Hidden), 0, features, m.Hidden)
		memory.Keys = Einsum("bsf,fh->bsh", states, w)
	case m.Score == DotScore && features != m.Hidden:
		exceptions.Panicf("sequence: Translator of a dot score of a state of %d features and states of %d, want as many", m.Hidden, features)
	case m.Score == DotScore:
		memory.Keys = states
	case m.Align > 0:
		memory.Keys = synlayer.Dense(scope.In("key"), states, 0, m.Align)
	}
	return memory
}

// Logits returns the logits of every word of the target vocabulary at every step [batch, steps, Target]. before [batch,
// steps] has the previous word of each step: the begin of the sentence, then all its words (teacher forcing). The alignments
// are [batch, steps, length], nil without attention.
func (m Translator) Logits(scope *model.Scope, memory Memory, before, key *Node) (logits, alignments *Node) {
	logits, alignments, _ = m.decode(scope, memory, memory.Start, before, key, m.Encoder.Unroll)
	return logits, alignments
}

// Next runs one decoder step for each row of memory, from the decoder's state and the previous word [rows]. It returns the
// logits [rows, Target], the next state and, with attention, the alignment [rows, length]. All results have gradients,
// including the state: consecutive steps have the same gradients as Logits. Give each step its own scope
// (scope.ResetVisited()).
func (m Translator) Next(scope *model.Scope, memory Memory, state []*Node, before *Node) (logits *Node, next []*Node, alignment *Node) {
	logits, alignment, next = m.decode(scope, memory, state, ExpandAxes(before, 1), nil, true)
	if alignment != nil {
		alignment = Squeeze(alignment, 1)
	}
	return Squeeze(logits, 1), next, alignment
}

func (m Translator) embed(scope *model.Scope, vocabulary int, words, key *Node, dtype dtypes.DType) *Node {
	checkSentences(words)
	return drop(scope.In("dropout"), Embedding{Words: vocabulary, Width: m.Embed}.Embed(scope, words, dtype), m.Dropout, key)
}

func checkSentences(words *Node) {
	if words.Rank() != 2 {
		exceptions.Panicf("sequence: sentences are %s, want [batch, length]", words.Shape())
	}
}

func (m Translator) decode(scope *model.Scope, memory Memory, state []*Node, before, key *Node, unroll bool) (logits, alignments *Node, last []*Node) {
	m.check()
	y := Transpose(m.embed(scope.In("target"), m.Target, before, key, memory.States.DType()), 0, 1) // [steps, batch, Embed]
	cell := RNN{Cell: m.Encoder.Cell, Hidden: m.Hidden, Unroll: unroll}
	in := scope.In("decoder")
	var states *Node
	var parts []*Node
	weights := cell.weights(in, y)
	if memory.Keys == nil {
		mask := BroadcastToDims(Const(y.Graph(), true), y.Shape().Dimensions[:2]...)
		states, last = cell.run(weights, y, mask, state, false)
		parts = []*Node{states, y}
	} else {
		variable := func(name string, fanIn, fanOut int, dims ...int) *Node {
			return synlayer.Variable(scope, y.Graph(), y.DType(), name, synlayer.XavierUniform(fanIn, fanOut), 0, dims...)
		}
		features, width := memory.States.Shape().Dim(-1), cell.Cell.gates()*m.Hidden
		d := decoder{
			cell: cell.Cell, hidden: m.Hidden, adjust: m.Adjust, weights: weights, memory: memory, unroll: unroll,
			context: synlayer.Variable(in, y.Graph(), y.DType(), "context", cell.uniform(), 0, features, width),
		}
		if m.Score == AdditiveScore {
			d.hiding = []*Node{variable("query", m.Hidden, m.Align, m.Hidden, m.Align), variable("score", m.Align, 1, m.Align)}
		}
		var contexts *Node
		states, contexts, alignments, last = d.run(y, state)
		parts = []*Node{states, contexts, y}
		alignments = Transpose(alignments, 0, 1)
	}
	out := scope.In("readout")
	readout := Tanh(synlayer.Dense(out, Transpose(Concatenate(parts, -1), 0, 1), 0, m.Embed))
	return synlayer.Dense(scope.In("output"), drop(out.In("dropout"), readout, m.Dropout, key), 0, m.Target), alignments, last
}
