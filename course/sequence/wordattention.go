package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/synlayer"
)

// WordAttention pools the words h of a sentence by attention (Yang et al. 2016, equations 5 to 7):
//
//	u_t = tanh(W h_t + b),  α = softmax over words of u_t · u_w,  s = Σ α_t h_t
//
// u_w is the context vector. Without an Adjustment it is [synlayer.AttentionPooling] without a score bias, which the softmax
// cancels. Variables, by path below the scope: tanh (weights, bias) [features, Width] and context [Width].
type WordAttention struct {
	Width  int // number of features of u, 100 in the paper
	Adjust Adjustment
}

var _ synlayer.Pooling = WordAttention{}

// Pool implements [synlayer.Pooling], with one head.
func (p WordAttention) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	bags = clean(bags)
	hidden := Tanh(synlayer.Dense(scope.In("tanh"), bags.X, bags.Members(), p.Width))
	return pool(scope, hidden, bags, p.Adjust)
}

// DocumentAttention is attention over words that takes the whole document into account (Wang et al. 2016): the weight of a
// word also depends on d, the mean of all words of the document:
//
//	u_t = tanh(W x_t + b + V d),  α = softmax over words of u_t · c,  s = Σ α_t x_t
//
// The paper uses the embedding of an aspect (the thing an opinion is about) instead of the mean, concatenates W x and V d
// instead of adding them, and maps s and the last state of its LSTM to one vector. Variables, by path below the scope: word
// (weights, bias) [features, Width], document (weights, bias) [features, Width] and context [Width].
type DocumentAttention struct {
	Width  int // number of features of u
	Adjust Adjustment
}

var _ synlayer.Pooling = DocumentAttention{}

// Pool implements [synlayer.Pooling], with one head.
func (p DocumentAttention) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	bags = clean(bags)
	members := bags.Members()
	mean, _ := synlayer.MeanPooling{}.Pool(scope, bags)
	document := ExpandAxes(synlayer.Dense(scope.In("document"), mean, members, p.Width), -2)
	words := synlayer.Dense(scope.In("word"), bags.X, members, p.Width)
	return pool(scope, Tanh(Add(words, document)), bags, p.Adjust)
}

// pool returns the words' weighted sum and its weights: the adjusted softmax of the products of hidden [..., words, width]
// with the variable "context".
func pool(scope *model.Scope, hidden *Node, bags synlayer.Bags, adjust Adjustment) (pooled, weights *Node) {
	width, members := hidden.Shape().Dim(-1), bags.Members()
	context := synlayer.Variable(scope, hidden.Graph(), hidden.DType(), "context", synlayer.XavierUniform(width, 1), members, width)
	var logits *Node
	if members == 0 {
		logits = Einsum("bnw,w->bn", hidden, context)
	} else {
		logits = Einsum("mbnw,mw->mbn", hidden, context)
	}
	attention := weigh(logits, bags.Mask, adjust)
	return gather(attention, bags.X), ExpandAxes(attention, -2)
}
