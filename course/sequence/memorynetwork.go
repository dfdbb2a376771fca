package sequence

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// MemoryNetwork answers a question about a story by attending to the story's sentences several times (end-to-end memory
// network, Sukhbaatar et al. 2015). An embedding E encodes a sentence x of J real words as Σ_j l_j ∘ E x_j, with the
// position encoding l_jk = (1 − j/J) − (k/Width)(1 − 2j/J), j and k from 1 (section 4.1). Two embeddings encode the
// sentences as m and c, each plus a vector for the sentence's age; a third encodes the question as u:
//
//	p = softmax over sentences of m · u,  u ← u + Σ p c        (Hops times)
//	logits = u W
//
// Adjacent hops share embeddings (section 2.2, adjacent): the c of one hop is the m of the next, and the question's
// embedding is the first m. (In the paper W is the last embedding; here the answers need not be words of the vocabulary.)
//
// Variables, by path below the scope: embedding_0 to embedding_Hops and age_0 to age_Hops (weights [Words, Width], [Sentences,
// Width]), answer (weights [Width, Answers]), all from N(0, 0.1²).
type MemoryNetwork struct {
	Words     int // size of the vocabulary, including reserved words
	Width     int // number of features of an embedded word
	Sentences int // most sentences with their own age vector; older sentences share the vector of the oldest
	Hops      int
	Answers   int
	// Linear omits the softmax over sentences, as the paper's linear start does for the first epochs. Then p may have any
	// sign and sum, and Adjust must be zero.
	Linear bool
	Adjust Adjustment // of p
}

// Logits returns the logits of the answers [batch, Answers] and p of each hop [batch, Hops, sentences]. story [batch,
// sentences, words] and question [batch, words] have the numbers of the words; the masks have the same shapes and are true
// for a real word, nil for all. A sentence without words has no effect.
func (m MemoryNetwork) Logits(scope *model.Scope, story, storyMask, question, questionMask *Node, dtype dtypes.DType) (logits, weights *Node) {
	if m.Hops < 1 || m.Sentences < 1 || m.Answers < 1 {
		exceptions.Panicf("sequence: MemoryNetwork of %d hops, %d sentences and %d answers, want 1 or more of each", m.Hops, m.Sentences, m.Answers)
	}
	if m.Linear && m.Adjust.Iterations != 0 {
		exceptions.Panicf("sequence: linear MemoryNetwork with an Adjustment of %d iterations, which is of weights behind a softmax", m.Adjust.Iterations)
	}
	if story.Rank() != 3 || question.Rank() != 2 || story.Shape().Dim(0) != question.Shape().Dim(0) {
		exceptions.Panicf("sequence: stories %s and questions %s, want [batch, sentences, words] and [batch, words]", story.Shape(), question.Shape())
	}
	g := story.Graph()
	storyMask = explicitMask(storyMask, g, story.Shape().Dimensions)
	questionMask = explicitMask(questionMask, g, question.Shape().Dimensions)
	there := LogicalAny(storyMask, -1) // [batch, sentences]
	age := ages(there, m.Sentences)
	first := scope.In("embedding_0")
	memory := func(i int) *Node {
		embedding := first
		if i > 0 {
			embedding = scope.In("embedding_%d", i)
		}
		x := m.sentences(embedding, story, storyMask, dtype)
		return zeroUnless(there, Add(x, Embedding{Words: m.Sentences, Width: m.Width}.Embed(scope.In("age_%d", i), age, dtype)))
	}
	u := m.sentences(first, question, questionMask, dtype)
	in := memory(0)
	var each []*Node
	for hop := range m.Hops {
		out := memory(hop + 1)
		p := Einsum("bsw,bw->bs", in, u)
		if !m.Linear {
			p = weigh(p, there, m.Adjust)
		}
		u = Add(u, gather(p, out))
		each = append(each, p)
		in = out
	}
	w := synlayer.Variable(scope.In("answer"), g, dtype, "weights", func(rng *rand.Rand) float64 { return 0.1 * rng.NormFloat64() }, 0, m.Width, m.Answers)
	return MatMul(u, w), Stack(each, 1)
}

// sentences returns the vectors [..., Width] of sentences of words [..., words].
func (m MemoryNetwork) sentences(scope *model.Scope, words, mask *Node, dtype dtypes.DType) *Node {
	x := Embedding{Words: m.Words, Width: m.Width}.Embed(scope, words, dtype) // [..., words, Width]
	g, rank := x.Graph(), x.Rank()
	dims := words.Shape().Dimensions
	count := ReduceAndKeep(ConvertDType(mask, dtype), ReduceSum, -1)
	count = ExpandAxes(MaxScalar(count, 1), -1) // [..., 1, 1]
	places, features := make([]float64, dims[rank-2]), make([]float64, m.Width)
	for j := range places {
		places[j] = float64(j + 1)
	}
	for k := range features {
		features[k] = float64(k+1) / float64(m.Width)
	}
	shaped := func(values []float64, axis int) *Node {
		shape := slices.Repeat([]int{1}, rank)
		shape[axis] = len(values)
		return Reshape(ConstAsDType(g, dtype, values), shape...)
	}
	j := Div(shaped(places, rank-2), count)
	l := Sub(OneMinus(j), Mul(shaped(features, rank-1), OneMinus(MulScalar(j, 2))))
	return ReduceSum(zeroUnless(mask, Mul(l, x)), -2)
}

// ages numbers the existing sentences [batch, sentences] from 0, the last, back to the first, up to limit-1.
func ages(there *Node, limit int) *Node {
	counted := ConvertDType(there, dtypes.Int32)
	later := Sub(ReduceAndKeep(counted, ReduceSum, -1), CumSum(counted, -1))
	return Min(later, ConstAs(later, limit-1))
}
