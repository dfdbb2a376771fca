package sequence

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// MemoryNetwork answers a question from a story by looking at the story's sentences several times (end-to-end memory
// network, Sukhbaatar et al. 2015). A sentence x of J words is Σ_j l_j ∘ E x_j by an embedding E, with the position encoding
// l_jk = (1 − j/J) − (k/Width)(1 − 2j/J), j and k from 1 (section 4.1), J the words that are real. With m and c the
// sentences by two embeddings, each plus a vector for its age, and u the question by a third:
//
//	p = softmax over sentences of m · u,  u ← u + Σ p c        (Hops times)
//	logits = u W
//
// Neighbouring hops share embeddings (section 2.2, adjacent): the c of one hop is the m of the next, the question's embedding
// the first m. (The paper makes W the last embedding, too; the answers here need not be words of the vocabulary.)
//
// Variables, by path below the scope: embedding_0 to embedding_Hops and age_0 to age_Hops (weights [Words, Width], [Sentences,
// Width]), answer (weights [Width, Answers]), all from N(0, 0.1²).
type MemoryNetwork struct {
	Words     int // of the vocabulary, the reserved ones among them
	Width     int // features of an embedded word
	Sentences int // of the longest story; sentences beyond share the vector of the oldest
	Hops      int
	Answers   int
	// Linear leaves the softmax over sentences out, as the paper's linear start does for the first epochs; p has then any sign
	// and sum, and Adjust must be zero.
	Linear bool
	Adjust Adjustment // of p
}

// Logits returns those of the answers [batch, Answers], and p of each hop [batch, Hops, sentences], of stories, numbers of
// words [batch, sentences, words], and questions [batch, words], with masks of the same shapes, true for a real word, nil for
// all. A sentence without words counts for nothing.
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
		return zeroUnless(there, Add(x, Embedding{m.Sentences, m.Width}.Embed(scope.In("age_%d", i), age, dtype)))
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
	x := Embedding{m.Words, m.Width}.Embed(scope, words, dtype) // [..., words, Width]
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
	ones := make([]int, rank)
	for i := range ones {
		ones[i] = 1
	}
	shaped := func(values []float64, axis int) *Node {
		shape := append([]int{}, ones...)
		shape[axis] = len(values)
		return Reshape(ConstAsDType(g, dtype, values), shape...)
	}
	j := Div(shaped(places, rank-2), count)
	l := Sub(OneMinus(j), Mul(shaped(features, rank-1), OneMinus(MulScalar(j, 2))))
	return ReduceSum(zeroUnless(mask, Mul(l, x)), -2)
}

// ages numbers the sentences that are there [batch, sentences] from the last, 0, to the first, at most limit-1.
func ages(there *Node, limit int) *Node {
	counted := ConvertDType(there, dtypes.Int32)
	later := Sub(ReduceAndKeep(counted, ReduceSum, -1), CumSum(counted, -1))
	return Min(later, ConstAs(later, limit-1))
}
