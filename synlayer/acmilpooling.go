package synlayer

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// ACMILPooling is the attention-challenging pooling of Zhang et al. 2024 (section 3: multiple branch attention and
// stochastic top-K instance masking): several attention branches are kept different from each other, and training randomly
// masks the instances that they weigh most.
//
//	a_m    = softmax over instances of w_m·(tanh(V x) ⊙ sigm(U x))      for each of the M branches
//	z_m    = Σ a_m x,  c_m = z_m W_m + b_m                              logit of branch m
//	pooled = Σ ā x,    logit = pooled W_c + b_c                         ā is the mean of a_m over the branches
//	loss   = L(logit) + 1/M Σ L(c_m) + mean over pairs m < n of cos(a_m, a_n)     L is the loss of the outputs
//
// In training ([Bags.DropoutKey]), each of the Top instances with the largest a_m is left out of the softmax of branch m
// with probability MaskRate; the other instances share its weight. If no instance would remain, as can happen in a bag of
// one, the branch keeps all of them. (The published program leaves out a fixed share of the Top instances.)
//
// Variables, by path below the scope: tanh, gate [features, Embed] and score [Embed, M], which the branches share except for
// the columns of score; classifier and branch_0, branch_1, ... [features, outputs]. Each has weights and bias.
type ACMILPooling struct {
	Embed    int     // features of the hidden layer of the attention, 128 in the published program
	Branches int     // M, 5 in the paper
	Top      int     // number of instances per branch that may be left out, 10 in the paper
	MaskRate float64 // probability of leaving one out, in [0, 1), 0.6 in the paper
}

var _ Classifier = ACMILPooling{}

// DefaultACMIL returns the paper's values.
func DefaultACMIL() ACMILPooling {
	return ACMILPooling{Embed: 128, Branches: 5, Top: 10, MaskRate: 0.6}
}

// Validate reports the first invalid hyperparameter.
func (p ACMILPooling) Validate() error {
	if !(p.MaskRate >= 0 && p.MaskRate < 1) {
		return fmt.Errorf("synlayer: ACMILPooling with mask rate %g, want one in [0, 1)", p.MaskRate)
	}
	return cmp.Or(checkCount("ACMILPooling", "embedding", p.Embed), checkCount("ACMILPooling", "branches", p.Branches), checkTop("ACMILPooling", p.Top))
}

// Pool implements [Pooling], with one head per branch. It panics with the error of Validate.
func (p ACMILPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	attention := attentionLogits(scope, bags.X, bags.Members(), p.Embed, p.Branches, true)
	weights = softmaxWhere(p.attended(scope, attention, bags), attention)
	return weightedSum(ReduceAndKeep(weights, ReduceMean, -2), bags.X), weights
}

// Classify implements [Classifier]. It panics with the error of Validate.
func (p ACMILPooling) Classify(scope *model.Scope, bags Bags, outputs int) Classification {
	pooled, weights := p.Pool(scope, bags)
	bags = bags.clean()
	numMembers := bags.Members()
	var branches []*Node
	for m := range p.Branches {
		z := weightedSum(SliceAxis(weights, -2, AxisElem(m)), bags.X)
		branches = append(branches, batched.OneOutput(Dense(scope.In("branch_%d", m), z, numMembers, outputs)))
	}
	logits := batched.Classify(scope, pooled, numMembers, outputs)
	return Classification{Logits: logits, Pooled: pooled, Weights: weights, Loss: func(loss func(*Node) *Node, _ *Node) *Node {
		sum := loss(logits)
		for _, branch := range branches {
			sum = Add(sum, DivScalar(loss(branch), p.Branches))
		}
		if p.Branches > 1 {
			sum = Add(sum, likeness(weights))
		}
		return sum
	}}
}

// attended marks the instances in the softmax of each branch, in the shape of the attention logits.
func (p ACMILPooling) attended(scope *model.Scope, logits *Node, bags Bags) *Node {
	real := batched.MaskLike(bags.Mask, logits, -2)
	if p.MaskRate == 0 {
		return real
	}
	rate := batched.Number(scope, bags.X, "dropout", p.MaskRate)
	if bags.DropoutKey == nil {
		return real
	}
	stays := dropoutWeights(scope.In("dropout"), OnesLike(logits), rate, bags.DropoutKey)
	dropped := And(topInstances(logits, bags.Mask, p.Top, 1), Equal(stays, ZerosLike(stays)))
	attended := And(real, Not(dropped))
	some := GreaterThan(ReduceAndKeep(ConvertDType(attended, logits.DType()), ReduceMax, -1), ScalarZero(logits.Graph(), logits.DType()))
	return Where(BroadcastToDims(some, logits.Shape().Dimensions...), attended, real)
}

// likeness returns the mean cosine [batch] over all pairs of heads of weights [batch, heads, instances], for two heads or
// more. It uses that the unit vectors u of the heads satisfy Σ over pairs of their products = (‖Σ u‖² − Σ ‖u‖²)/2.
func likeness(weights *Node) *Node {
	heads := weights.Shape().Dim(-2)
	square := ReduceAndKeep(Square(weights), ReduceSum, -1)
	// The maximum changes no number, as in a layer norm: the norm of weights that sum to 1 is 1/√instances or more.
	unit := Div(weights, MaxScalar(Sqrt(batched.OneIfZero(square)), 1e-6))
	pairs := Sub(ReduceSum(Square(ReduceSum(unit, -2)), -1), ReduceSum(Square(unit), -1, -2))
	return DivScalar(pairs, heads*(heads-1))
}
