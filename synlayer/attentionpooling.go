package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// AttentionPooling is the attention pooling of Ilse, Tomczak and Welling 2018:
//
//	a = softmax over instances of w·tanh(V x)                  (equation 8)
//	a = softmax over instances of w·(tanh(V x) ⊙ sigm(U x))    (equation 9, Gated)
//	pooled = Σ a x                                              (equation 7)
//
// With Weights, another map takes the place of the softmax.
//
// V, U and w have biases, as in the authors' program. Variables, by path below the scope: tanh, gate [features, Embed] and
// score [Embed, 1], each with weights and bias.
type AttentionPooling struct {
	Embed int  // number of features of the hidden layer, 128 in the paper
	Gated bool // use equation 9 instead of 8

	Weights string // [SoftmaxWeights], also if empty, [SparsemaxWeights] or [Entmax15Weights]
}

var _ Pooling = AttentionPooling{}

// DefaultAttention returns the paper's values: not gated, 128 hidden features.
func DefaultAttention() AttentionPooling { return AttentionPooling{Embed: 128} }

// Validate reports the first invalid hyperparameter.
func (p AttentionPooling) Validate() error { return checkWeights("AttentionPooling", p.Weights) }

// Pool implements [Pooling], with one head. It panics with the error of Validate.
func (p AttentionPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	weights = weightsOf(p.Weights, attentionLogits(scope, bags.X, bags.Members(), p.Embed, 1, p.Gated), bags.Mask)
	return weightedSum(weights, bags.X), weights
}

// attentionLogits returns the attention logits [batch, heads, instances] of [AttentionPooling]. The heads share the hidden
// layer.
func attentionLogits(scope *model.Scope, x *Node, numMembers, embed, heads int, gated bool) *Node {
	hidden := Tanh(Dense(scope.In("tanh"), x, numMembers, embed))
	if gated {
		hidden = Mul(hidden, Sigmoid(Dense(scope.In("gate"), x, numMembers, embed)))
	}
	return swapLast(Dense(scope.In("score"), hidden, numMembers, heads))
}
