package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/members"
)

// Classifier is a [Pooling] that also classifies: it makes the outputs of the bags itself, and may have a training loss of its own.
// A pooling need not be one. [Classify] asks, and so do [Network] and package neural, in all ways of training.
type Classifier interface {
	Pooling
	// Classify returns what Pool returns, with so many outputs and the loss. It makes all its variables, those of the loss too,
	// whether the loss is asked for or not: a scored network has those of the trained one. It makes them before the outputs:
	// GoMLX's Go backend fails if a variable comes after all that a graph returns. With several outputs, pooled vectors and
	// weights may have a part or a head for each.
	Classify(scope *model.Scope, bags Bags, outputs int) Classification
}

// Classification is what a network makes of bags. With a members axis in front of the bags, all of it has that axis, too.
type Classification struct {
	// Logits is [batch], the logit of the positive class or a number that is learnt, or, of several outputs, [batch, outputs],
	// a logit of each class.
	Logits  *Node
	Pooled  *Node // [batch, features], of which the logits are an affine function
	Weights *Node // [batch, heads, instances]

	// Loss returns what training minimises for each bag, [batch]. loss is that of outputs in the shape of Logits, and classes
	// [batch] are those of the bags, from 0, in the type of the logits: 0 or 1 of one logit. It is finite for an empty bag. Nil
	// stands for the loss of Logits.
	Loss func(loss func(outputs *Node) *Node, classes *Node) *Node
}

// Classify pools bags and classifies them: by the pooling itself if it is a [Classifier], else by a dense map of the pooled
// vectors to so many outputs. The variables of the pooling are below pooling in scope, those of the dense map below classifier.
func Classify(scope *model.Scope, pooling Pooling, bags Bags, outputs int) Classification {
	if c, ok := pooling.(Classifier); ok {
		return c.Classify(scope.In("pooling"), bags, outputs)
	}
	pooled, weights := pooling.Pool(scope.In("pooling"), bags)
	return Classification{Logits: members.Classify(scope, pooled, bags.Members(), outputs), Pooled: pooled, Weights: weights}
}

// LogisticLoss is −log of the probability that logits give to labels, 0 or 1, in any one shape: log(1 + exp(l·(1−2y))). Its value
// is rounded in the same way at any place of an array.
func LogisticLoss(logits, labels *Node) *Node {
	value, differentiated := members.LogisticLoss(logits, labels)
	return StraightThrough(differentiated, value)
}

// CrossEntropy is −log of the probability, in nats, that the softmax of logits [..., classes] gives to classes [...], numbers
// from 0 in the type of the logits:
//
//	log Σ exp(l − max l) − (l_c − max l)
func CrossEntropy(logits, classes *Node) *Node {
	largest := StopGradient(ReduceAndKeep(logits, ReduceMax, -1))
	logits = Sub(logits, largest)
	number := Iota(logits.Graph(), logits.Shape(), logits.Rank()-1)
	own := ConvertDType(Equal(number, ExpandAxes(classes, -1)), logits.DType())
	return Sub(Log(ReduceSum(Exp(logits), -1)), ReduceSum(Mul(logits, own), -1))
}
