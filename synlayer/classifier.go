package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/members"
)

// Classifier is a [Pooling] that also classifies: it makes the logits of the bags itself, and may have a training loss of its own.
// A pooling need not be one. [Classify] asks, and so do [Network] and package neural, in all ways of training.
type Classifier interface {
	Pooling
	// Classify returns what Pool returns, with the logits and the loss. It makes all its variables, those of the loss too,
	// whether the loss is asked for or not: a scored network has those of the trained one. It makes them before the logits:
	// GoMLX's Go backend fails if a variable comes after all that a graph returns.
	Classify(scope *model.Scope, bags Bags) Classification
}

// Classification is what a network makes of bags. With a members axis in front of the bags, all of it has that axis, too.
type Classification struct {
	Logits  *Node // [batch]: the score of each bag, positive for the positive class
	Pooled  *Node // [batch, features], of which the logits are an affine function
	Weights *Node // [batch, heads, instances]

	// Loss returns what training minimises for each bag, [batch], given labels [batch] of 0 or 1 in the type of the logits. It is
	// finite for an empty bag. Nil stands for [LogisticLoss] of Logits.
	Loss func(labels *Node) *Node
}

// Classify pools bags and classifies them: by the pooling itself if it is a [Classifier], else by a dense map of the pooled
// vectors to a logit. The variables of the pooling are below pooling in scope, those of the dense map below classifier.
func Classify(scope *model.Scope, pooling Pooling, bags Bags) Classification {
	if c, ok := pooling.(Classifier); ok {
		return c.Classify(scope.In("pooling"), bags)
	}
	pooled, weights := pooling.Pool(scope.In("pooling"), bags)
	return Classification{Logits: members.Classify(scope, pooled, bags.Members()), Pooled: pooled, Weights: weights}
}

// LogisticLoss is −log of the probability that logits give to labels, 0 or 1, in any one shape: log(1 + exp(l·(1−2y))). Its value
// is rounded in the same way at any place of an array.
func LogisticLoss(logits, labels *Node) *Node {
	value, differentiated := members.LogisticLoss(logits, labels)
	return StraightThrough(differentiated, value)
}
