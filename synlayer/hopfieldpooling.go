package synlayer

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// HopfieldPooling pools with the continuous modern Hopfield network of Ramsauer et al. 2021 (section 3 and its
// HopfieldPooling layer): a trainable state pattern retrieves from the instances.
//
//	k  = LN₁(x) W_k + b_k     stored patterns          v = LN₂(x) W_v + b_v
//	ξ₀ = LN₃(query) W_q + b_q state pattern
//	a  = softmax over instances of β k ξ;  ξ ← Σ a k   repeated UpdateSteps times, for each of the H heads
//	pooled = (Σ a v, heads concatenated) W_o + b_o
//
// A head also stops once the L2 norm of the last change of a is at most Tolerance. Here each bag stops on its own. In the
// published layer a head stops only when all bags of the batch are done, so the result of a bag depends on the rest of the
// batch; BatchStop reproduces that.
//
// The gradient passes through all updates. Variables, by path below the scope: query [features]; key_norm, value_norm,
// query_norm (gain, bias); key_projection, value_projection, query_projection [features, Embed] and output [Embed, Output]
// (weights, bias), Xavier uniform. (The published layer draws the first three from N(0, 0.02).)
type HopfieldPooling struct {
	Embed       int     // features of the association space, all heads together (the published hidden size times heads)
	Heads       int     // H, divides Embed
	Beta        float64 // β > 0, the inverse temperature; the published default is 1/√(Embed/Heads)
	UpdateSteps int     // updates of the state pattern before the last association, 0 for attention
	Tolerance   float64 // a head stops when a changes by at most this
	Norm        bool    // the three layer norms
	Dropout     float64 // dropout rate of the weights in training, in [0, 1)
	Output      int     // number of pooled features; 0 means as many as the instances have
	BatchStop   bool    // stop a head for the whole batch at once, as published
}

var _ Pooling = HopfieldPooling{}

// DefaultHopfield returns the sizes of [DefaultSyn], β = 1/√8, one association, and the layer norms and tolerance of the
// published layer.
func DefaultHopfield() HopfieldPooling {
	return HopfieldPooling{Embed: 32, Heads: 4, Beta: 0.35355339059327373, Tolerance: 1e-4, Norm: true}
}

// Validate reports the first invalid hyperparameter.
func (p HopfieldPooling) Validate() error {
	if !(p.Tolerance >= 0) {
		return fmt.Errorf("synlayer: HopfieldPooling with tolerance %g, want 0 or more", p.Tolerance)
	}
	if p.UpdateSteps < 0 {
		return fmt.Errorf("synlayer: HopfieldPooling with %d update steps, want 0 or more", p.UpdateSteps)
	}
	return cmp.Or(checkHeads("HopfieldPooling", p.Heads, p.Embed), checkPositive("HopfieldPooling", "beta", p.Beta), checkDropout("HopfieldPooling", p.Dropout))
}

// Pool implements [Pooling]. It panics with the error of Validate.
func (p HopfieldPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	numMembers := bags.Members()
	number := func(name string, v float64) *Node { return batched.Number(scope, bags.X, name, v) }
	beta, tolerance := number("beta", p.Beta), number("tolerance", p.Tolerance)
	norm := func(name string, x *Node) *Node {
		if !p.Norm {
			return x
		}
		return LayerNorm(scope.In("%s", name), x, numMembers)
	}
	query := norm("query_norm", trainableQuery(scope, bags.X, numMembers))
	state := Dense(scope.In("query_projection"), query, numMembers, p.Embed)
	keys := Dense(scope.In("key_projection"), norm("key_norm", bags.X), numMembers, p.Embed)
	values := Dense(scope.In("value_projection"), norm("value_norm", bags.X), numMembers, p.Embed)

	associate := func(state *Node) *Node {
		return BagSoftmax(scores(Mul(state, batched.Along(beta, state)), keys, p.Heads), bags.Mask)
	}
	weights = associate(state)
	var active *Node // [batch, heads, 1]: the heads not yet done; nil before the first update
	for range p.UpdateSteps {
		next := associate(weightedSum(weights, keys))
		if active != nil {
			next = Where(BroadcastToDims(active, weights.Shape().Dimensions...), next, weights)
		}
		change := Sqrt(ReduceAndKeep(Square(StopGradient(Sub(next, weights))), ReduceSum, -1))
		if p.BatchStop {
			change = BroadcastToDims(ReduceAndKeep(change, ReduceMax, -3), change.Shape().Dimensions...)
		}
		active = GreaterThan(change, batched.Along(tolerance, change))
		weights = next
	}
	if p.Dropout > 0 {
		weights = dropoutWeights(scope.In("dropout"), weights, number("dropout", p.Dropout), bags.DropoutKey)
	}
	output := p.Output
	if output == 0 {
		output = bags.X.Shape().Dim(-1)
	}
	return Dense(scope.In("output"), weightedSum(weights, values), numMembers, output), weights
}
