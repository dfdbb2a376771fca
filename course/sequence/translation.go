package sequence

import (
	"fmt"
	"slices"
	"sort"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// EncoderDecoder is a model that translates: [Translator] or [TransformerTranslator], which say what the methods do.
type EncoderDecoder interface {
	Encode(scope *model.Scope, source, mask, key *Node, dtype dtypes.DType) Memory
	Logits(scope *model.Scope, memory Memory, before, key *Node) (logits, alignments *Node)
	Next(scope *model.Scope, memory Memory, state []*Node, before *Node) (logits *Node, next []*Node, alignment *Node)
}

var (
	_ EncoderDecoder = Translator{}
	_ EncoderDecoder = TransformerTranslator{}
)

// Translation runs a trained [EncoderDecoder] on batches of a fixed size, so each graph is compiled only once.
type Translation struct {
	translator        EncoderDecoder
	beam              Beam
	sentences, length int
	target, states    int  // number of words of the target, and of arrays of the decoder's state
	attends           bool // whether there are keys and alignments
	encode, next      *model.Exec
}

// NewTranslation returns a Translation for batches of this many sentences of up to length words. It compiles nothing yet.
// The store must have the trained variables in its root scope, as float32.
func NewTranslation(backend compute.Backend, store *model.Store, translator EncoderDecoder, beam Beam, sentences, length int) (*Translation, error) {
	if sentences < 1 || length < 1 || beam.Width < 1 {
		return nil, fmt.Errorf("sequence: a translation of %d sentences of %d words with a beam of %d; want 1 or more of each", sentences, length, beam.Width)
	}
	t := &Translation{translator: translator, beam: beam, sentences: sentences, length: length}
	if err := t.check(backend, store); err != nil {
		return nil, err
	}
	var err error
	t.encode, err = model.NewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
		m := translator.Encode(scope, in[0], in[1], nil, dtypes.Float32)
		out := []*Node{m.States, m.Mask}
		if t.attends {
			out = append(out, m.Keys)
		}
		out = append(out, m.Start...)
		for i, x := range out { // the rows of a sentence are consecutive
			dims := x.Shape().Dimensions
			each := append([]int{dims[0], beam.Width}, dims[1:]...)
			out[i] = Reshape(BroadcastToDims(ExpandAxes(x, 1), each...), append([]int{-1}, dims[1:]...)...)
		}
		return out
	})
	if err == nil {
		t.next, err = model.NewExec(backend, store, t.step)
	}
	if err != nil {
		return nil, fmt.Errorf("sequence: graphs of a translation: %w", err)
	}
	return t, nil
}

// check returns an error if the translator is invalid, does not fit the beam, or the store lacks its variables, which would
// otherwise be drawn at random. It records what the translator returns.
func (t *Translation) check(backend compute.Backend, store *model.Store) error {
	drawn, longest := model.NewStore(), 0
	err := exceptions.TryCatch[error](func() {
		g := NewGraph(backend, "translation")
		defer g.Finalize()
		source, word := Parameter(g, "source", shapes.Make(dtypes.Int32, 1, 1)), Parameter(g, "word", shapes.Make(dtypes.Int32, 1))
		memory := t.translator.Encode(drawn.RootScope(), source, nil, nil, dtypes.Float32)
		logits, _, alignment := t.translator.Next(drawn.RootScope(), memory, memory.Start, word)
		t.target, t.states, t.attends, longest = logits.Shape().Dim(-1), len(memory.Start), alignment != nil, memory.Longest
	})
	if err != nil {
		return fmt.Errorf("sequence: a translation by %+v: %w", t.translator, err)
	}
	switch {
	case t.beam.Width > t.target:
		return fmt.Errorf("sequence: a beam of %d; the width is at most the %d words of the target", t.beam.Width, t.target)
	case longest > 0 && t.beam.MaxLength > longest:
		return fmt.Errorf("sequence: a beam of up to %d words; the translator decodes at most %d", t.beam.MaxLength, longest)
	}
	for v := range drawn.IterVariables() {
		switch trained := store.GetVariable(v.Path()); {
		case trained == nil:
			return fmt.Errorf("sequence: the store has no variable %s, which the translator needs; load what was trained into the root scope", v.Path())
		case !trained.Shape().Equal(v.Shape()):
			return fmt.Errorf("sequence: the variable %s of the store is %s; the translator needs %s", v.Path(), trained.Shape(), v.Shape())
		}
	}
	return nil
}

// step builds the graph of one step. Its inputs are the words, the rows to continue, the memory and the state; its outputs
// are the log-probabilities of the words, the state and, with attention, the alignments.
func (t *Translation) step(scope *model.Scope, in []*Node) []*Node {
	words, parents, rest := in[0], ExpandAxes(in[1], -1), in[2:]
	memory := Memory{States: rest[0], Mask: rest[1]}
	rest = rest[2:]
	if t.attends {
		memory.Keys, rest = rest[0], rest[1:]
	}
	var state []*Node
	for _, s := range rest {
		state = append(state, Gather(s, parents))
	}
	logits, next, alignment := t.translator.Next(scope, memory, state, words)
	out := append([]*Node{LogSoftmax(logits)}, next...)
	if alignment != nil {
		out = append(out, alignment)
	}
	return out
}

// Translate returns a hypothesis for each source, given as the numbers of its words. There may be at most as many sources as
// a batch has sentences, of at most its length. For a source without words it returns what the decoder generates without
// input.
func (t *Translation) Translate(sources [][]int32) ([]Hypothesis, error) {
	if len(sources) < 1 || len(sources) > t.sentences {
		return nil, fmt.Errorf("sequence: %d sentences to translate; a batch has 1 to %d", len(sources), t.sentences)
	}
	words, mask := make([]int32, t.sentences*t.length), make([]bool, t.sentences*t.length)
	for i, source := range sources {
		if len(source) > t.length {
			return nil, fmt.Errorf("sequence: sentence %d has %d words, more than the %d of the translation; truncate it", i, len(source), t.length)
		}
		for j, w := range source {
			words[i*t.length+j], mask[i*t.length+j] = w, true
		}
	}
	encoded, err := call(t.encode, []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(words, t.sentences, t.length),
		tensors.FromFlatDataAndDimensions(mask, t.sentences, t.length),
	})
	if err != nil {
		return nil, fmt.Errorf("sequence: encoding %d sentences: %w", len(sources), err)
	}
	memory, state := encoded[:len(encoded)-t.states], encoded[len(encoded)-t.states:]
	defer func() { free(slices.Concat(memory, state)) }()
	found, err := t.beam.search(t.sentences, func(parents, words []int32) ([]continuations, error) {
		rows := len(words)
		if parents == nil {
			for i := range int32(rows) {
				parents = append(parents, i)
			}
		}
		out, err := call(t.next, []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(words, rows),
			tensors.FromFlatDataAndDimensions(parents, rows),
		}, slices.Concat(memory, state)...)
		if err != nil {
			return nil, fmt.Errorf("sequence: a step of the decoder: %w", err)
		}
		free(state)
		state = out[1 : 1+t.states]
		defer free(slices.Concat(out[:1], out[1+t.states:]))
		logProbs := tensors.MustCopyFlatData[float32](out[0])
		var alignments []float32
		if t.attends {
			alignments = tensors.MustCopyFlatData[float32](out[1+t.states])
		}
		rest := make([]continuations, rows)
		for i := range rest {
			rest[i] = likeliest(logProbs[i*t.target:(i+1)*t.target], t.beam.Width)
			if alignments != nil {
				rest[i].alignment = wide(alignments[i*t.length : (i+1)*t.length])
			}
		}
		return rest, nil
	})
	if err != nil {
		return nil, err
	}
	return found[:len(sources)], nil
}

// call runs a graph on fresh tensors, which it frees, and on others that are kept. The garbage collector would free them
// late, because it does not see how large they are.
func call(exec *model.Exec, fresh []*tensors.Tensor, kept ...*tensors.Tensor) ([]*tensors.Tensor, error) {
	defer free(fresh)
	var args []any
	for _, t := range slices.Concat(fresh, kept) {
		args = append(args, t)
	}
	return exec.Call(args...)
}

func free(ts []*tensors.Tensor) {
	for _, t := range ts {
		t.MustFinalizeAll()
	}
}

// likeliest returns the n words with the largest log-probabilities; the smaller number comes first among equals.
func likeliest(logProbs []float32, n int) continuations {
	var c continuations
	for w, p := range logProbs {
		p := float64(p)
		if len(c.words) == n && !(p > c.logProbs[n-1]) {
			continue
		}
		at := sort.Search(len(c.logProbs), func(i int) bool { return c.logProbs[i] < p })
		c.words, c.logProbs = slices.Insert(c.words, at, int32(w)), slices.Insert(c.logProbs, at, p)
		if len(c.words) > n {
			c.words, c.logProbs = c.words[:n], c.logProbs[:n]
		}
	}
	return c
}

func wide(narrow []float32) []float64 {
	values := make([]float64, len(narrow))
	for i, v := range narrow {
		values[i] = float64(v)
	}
	return values
}
