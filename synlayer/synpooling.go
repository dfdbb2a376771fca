package synlayer

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// SynPooling is attention pooling with one trainable query, followed by a Syn layer on the attention weights (figure 3):
//
//	k, v = halves of x̂ W_kv + b_kv          x̂ = LayerNorm(x), or x without Norm
//	a    = softmax over instances of S · (q W_q + b_q) · k      for each of the H heads
//	a'   = Syn(a, γ, I), straight-through
//	z    = Σ a' v, heads concatenated;  pooled = z W_o + b_o
//
// The scale is S alone, without 1/√d. The H heads are consecutive blocks of Embed/H features.
//
// Variables, by path below the scope: query [features]; norm/gain, norm/bias [features]; keyvalue/weights
// [features, 2·Embed] (keys first); query_projection/weights [features, Embed]; output/weights [Embed, Output]; and
// the bias of each dense map. The weights are Xavier uniform, biases 0.
//
// The returned weights are the ones that pooled the values: after Syn, renormalisation and dropout. With γ = 1 the steps are
// those of [LogSyn].
//
// Paper and published code differ: the paper has γ = 1 and mentions no layer norm ([PaperSyn]); the code has γ = 0.5 and a
// layer norm ([DefaultSyn]), and never runs the inverse steps because of an empty loop.
type SynPooling struct {
	Embed      int     // M, number of features of keys and values, all heads together
	Heads      int     // H, must divide Embed
	Scale      float64 // S > 0
	Iterations int     // I: concentration if positive, distraction if negative, plain softmax attention at 0
	Gamma      float64 // γ in (0, 1]
	Norm       bool    // layer norm of the instances before the projections

	// Renormalise divides the weights by their sum after Syn; the straight-through gradient bypasses that step too. Without
	// it, the sum is 1 only if there are no Syn steps, and with inverse steps the pooled vector grows with the size of the
	// bag.
	Renormalise bool
	// Dropout is the dropout rate of the weights in training, in [0, 1).
	Dropout float64
	// TrueGradient differentiates through the Syn steps instead of using the straight-through gradient; for ablations.
	TrueGradient bool
	// Output is the number of pooled features; 0 means as many as the instances have.
	Output int
}

var _ Pooling = SynPooling{}

// DefaultSyn returns the pooling of the published code with three forward steps: M = 32, H = 4, S = 10, γ = 0.5, layer norm.
// (The number of steps is our choice: neither paper nor code has a default for I that was ever run.)
func DefaultSyn() SynPooling {
	return SynPooling{Embed: 32, Heads: 4, Scale: 10, Iterations: 3, Gamma: 0.5, Norm: true}
}

// PaperSyn returns the pooling as described in the paper: [DefaultSyn] with γ = 1 and no layer norm.
func PaperSyn() SynPooling {
	p := DefaultSyn()
	p.Gamma, p.Norm = 1, false
	return p
}

// DefaultSoftmax returns [DefaultSyn] without Syn steps: same query, norm and scale, so a comparison of the two changes only
// one thing.
func DefaultSoftmax() SynPooling {
	p := DefaultSyn()
	p.Iterations = 0
	return p
}

// Validate reports the first invalid hyperparameter.
func (p SynPooling) Validate() error {
	if !(p.Gamma > 0 && p.Gamma <= 1) {
		return fmt.Errorf("synlayer: SynPooling with gamma %g, want one in (0, 1]", p.Gamma)
	}
	return cmp.Or(checkHeads("SynPooling", p.Heads, p.Embed), checkPositive("SynPooling", "scale", p.Scale), checkDropout("SynPooling", p.Dropout))
}

// Pool implements [Pooling]. It panics with the error of Validate.
func (p SynPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	pooled, weights, _ = p.pool(scope, bags)
	return pooled, weights
}

// pool is Pool, and also returns the weights before the Syn steps.
func (p SynPooling) pool(scope *model.Scope, bags Bags) (pooled, weights, attention *Node) {
	mustBe(p)
	bags = bags.clean()
	numMembers := bags.Members()
	number := func(name string, v float64) *Node { return batched.Number(scope, bags.X, name, v) }
	x := bags.X
	if p.Norm {
		x = LayerNorm(scope.In("norm"), x, numMembers)
	}
	halves := Split(Dense(scope.In("keyvalue"), x, numMembers, 2*p.Embed), -1, 2)
	keys, values := halves[0], halves[1]
	query := Dense(scope.In("query_projection"), trainableQuery(scope, bags.X, numMembers), numMembers, p.Embed)
	query = Mul(query, batched.Along(number("scale", p.Scale), query))
	logits := scores(query, keys, p.Heads)
	attention = BagSoftmax(logits, bags.Mask)

	adjusted := attention
	switch bound := batched.Steps(bags.X.Graph(), p.Iterations); {
	case p.Gamma == 1 && bound > 0:
		adjusted = Exp(logSyn(logits, bags.Mask, number("iterations", float64(p.Iterations))))
		if bags.Mask != nil { // with vector instructions the Go backend's Exp(-∞) is not 0
			adjusted = batched.ZeroUnless(bags.Mask, adjusted, -2)
		}
	case p.Gamma < 1:
		adjusted = batched.SynSteps(scope, attention, number("gamma", p.Gamma), p.Iterations)
	}
	if p.Renormalise {
		adjusted = Div(adjusted, batched.OneIfZero(ReduceAndKeep(adjusted, ReduceSum, -1)))
	}
	weights = adjusted
	if adjusted != attention && !p.TrueGradient {
		weights = StraightThrough(attention, adjusted)
	}
	if p.Dropout > 0 {
		weights = dropoutWeights(scope.In("dropout"), weights, number("dropout", p.Dropout), bags.DropoutKey)
	}
	output := p.Output
	if output == 0 {
		output = bags.X.Shape().Dim(-1)
	}
	return Dense(scope.In("output"), weightedSum(weights, values), numMembers, output), weights, attention
}
