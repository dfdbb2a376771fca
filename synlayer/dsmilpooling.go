package synlayer

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// DSMILPooling is the dual-stream aggregator of Li, Li and Eliceiri 2021 (section 3.2): the highest-scoring instance is the
// query of an attention over all instances.
//
//	s_i = x_i W_s + b_s                          the score of an instance
//	c₁  = max over instances of s_i              the first stream; m is the instance that has it, the critical one
//	q_i = x_i W_q + b_q,  v_i = x_i W_v + b_v
//	a   = softmax over instances of S · q_i·q_m
//	c₂  = (Σ a v) W_c + b_c                      the second stream
//	logit = (c₁ + c₂)/2,  loss = (L(c₁) + L(c₂))/2     L is the loss of the outputs
//
// pooled = (x_m, Σ a v), which has twice the features of the instances. If several instances tie for the critical one, the
// mean of them is used. An empty bag has c₁ = 0.
//
// With several classes, each has its own scores, critical instance and attention (one head of the weights); W_c takes the
// sums of all classes. L is then the loss of all logits together.
//
// Variables, by path below the scope: instance [features, classes], query [features, Embed], value [features, features] and
// classifier [classes · features, classes], each with weights and bias. With one logit, classes is 1.
//
// The paper has S = 1. The published program has S = 1/√Embed, a second layer in the query and dropout in the value.
type DSMILPooling struct {
	Embed int     // number of features of the queries, 128 in the published program
	Scale float64 // S > 0
}

var _ Classifier = DSMILPooling{}

// DefaultDSMIL returns queries of 128 features and the paper's S = 1.
func DefaultDSMIL() DSMILPooling { return DSMILPooling{Embed: 128, Scale: 1} }

// Validate reports the first invalid hyperparameter.
func (p DSMILPooling) Validate() error {
	return cmp.Or(checkCount("DSMILPooling", "embedding", p.Embed), checkPositive("DSMILPooling", "scale", p.Scale))
}

// checkCount reports a count below 1.
func checkCount(of, name string, n int) error {
	if n < 1 {
		return fmt.Errorf("synlayer: %s with %s %d, want 1 or more", of, name, n)
	}
	return nil
}

// Pool implements [Pooling], with one head. It panics with the error of Validate.
func (p DSMILPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	_, pooled, _, weights = p.streams(scope, bags, 1)
	return pooled, weights
}

// Classify implements [Classifier]. It panics with the error of Validate.
func (p DSMILPooling) Classify(scope *model.Scope, bags Bags, outputs int) Classification {
	first, pooled, attended, weights := p.streams(scope, bags, outputs)
	second := batched.Classify(scope, attended, bags.Members(), outputs)
	return Classification{
		Logits:  MulScalar(Add(first, second), 0.5),
		Pooled:  pooled,
		Weights: weights,
		Loss: func(loss func(*Node) *Node, _ *Node) *Node {
			return MulScalar(Add(loss(first), loss(second)), 0.5)
		},
	}
}

// streams returns the outputs c₁ of the first stream, the pooled vectors of both streams and of the second alone, and the
// weights of the second.
func (p DSMILPooling) streams(scope *model.Scope, bags Bags, outputs int) (first, pooled, attended, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	x, numMembers := bags.X, bags.Members()
	score := swapLast(Dense(scope.In("instance"), x, numMembers, outputs)) // [batch, outputs, instances]
	queries := Dense(scope.In("query"), x, numMembers, p.Embed)
	values := Dense(scope.In("value"), x, numMembers, x.Shape().Dim(-1))
	scale := batched.Number(scope, x, "scale", p.Scale)
	var firsts, criticals, sums, all []*Node
	for k := range outputs {
		score := SliceAxis(score, -2, AxisElem(k))
		critical := largestShare(score, bags.Mask)
		query := weightedSum(critical, queries)
		query = Mul(query, batched.Along(scale, query))
		weights := BagSoftmax(scores(query, queries, 1), bags.Mask)
		firsts = append(firsts, ReduceAndKeep(Squeeze(Mul(critical, score), -2), ReduceSum, -1))
		criticals = append(criticals, weightedSum(critical, x))
		sums = append(sums, weightedSum(weights, values))
		all = append(all, weights)
	}
	attended = Concatenate(sums, -1)
	return batched.OneOutput(Concatenate(firsts, -1)), Concatenate([]*Node{Concatenate(criticals, -1), attended}, -1), attended, Concatenate(all, -2)
}

// largestShare returns weights that divide 1 evenly among the instances with the largest value in each row of values [batch,
// heads, instances]; a row without a real instance gets 0.
func largestShare(values, mask *Node) *Node {
	real := batched.MaskLike(mask, values, -2)
	lowest := Infinity(values.Graph(), values.DType(), -1)
	largest := ReduceAndKeep(Where(real, values, lowest), ReduceMax, -1)
	holds := ConvertDType(And(real, Equal(values, largest)), values.DType())
	return StopGradient(Div(holds, batched.OneIfZero(ReduceAndKeep(holds, ReduceSum, -1))))
}
