package synlayer

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// Classifier is a [Pooling] that also computes the outputs of the bags, and may have its own training loss. It is optional:
// [Classify], [Network] and package neural check for it in every training mode.
type Classifier interface {
	Pooling
	// Classify returns what Pool returns, plus the given number of outputs and the loss. It must create all its variables,
	// including those of the loss, even if the loss is not used: a network at prediction time then has the same variables as
	// in training. It must create them before it computes the outputs, because GoMLX's Go backend fails if a variable comes
	// after everything that a graph returns. With several outputs, the pooled vectors and weights may have one part or head
	// per output.
	Classify(scope *model.Scope, bags Bags, outputs int) Classification
}

// Classification is the result of a network for a batch of bags. If the bags have a leading members axis, all results have
// it.
type Classification struct {
	// Logits is [batch] for one output, the logit of the positive class or a regression value, and [batch, outputs] for
	// several, one logit per class.
	Logits  *Node
	Pooled  *Node // [batch, features]; the logits are an affine function of it
	Weights *Node // [batch, heads, instances]

	// Attention is the weights before the Syn steps of a [SynPooling], nil for other poolings. The steps keep their order, but
	// rounding may not.
	Attention *Node

	// Loss returns the training loss of each bag, [batch]. Its argument loss computes the loss of outputs in the shape of
	// Logits; classes [batch] are the labels of the bags, counted from 0 (0 or 1 for one logit), in the type of the logits.
	// The result must be finite for an empty bag. If Loss is nil, training minimises the loss of Logits.
	Loss func(loss func(outputs *Node) *Node, classes *Node) *Node
}

// Classify pools bags and classifies them. If the pooling is a [Classifier] it computes the outputs itself; otherwise a
// dense map of the pooled vectors does. The variables of the pooling are below "pooling" in scope, those of the dense map
// below "classifier".
func Classify(scope *model.Scope, pooling Pooling, bags Bags, outputs int) Classification {
	if c, ok := pooling.(Classifier); ok {
		return c.Classify(scope.In("pooling"), bags, outputs)
	}
	var c Classification
	if p, ok := pooling.(SynPooling); ok {
		c.Pooled, c.Weights, c.Attention = p.pool(scope.In("pooling"), bags)
	} else {
		c.Pooled, c.Weights = pooling.Pool(scope.In("pooling"), bags)
	}
	c.Logits = batched.Classify(scope, c.Pooled, bags.Members(), outputs)
	return c
}

// LogisticLoss returns −log of the probability that logits assign to labels (0 or 1, in the same shape): log(1 +
// exp(l·(1−2y))). Rounding does not depend on the position in the array.
func LogisticLoss(logits, labels *Node) *Node {
	value, differentiated := batched.LogisticLoss(logits, labels)
	return StraightThrough(differentiated, value)
}

// CrossEntropy returns −log, in nats, of the probability that the softmax of logits [..., classes] assigns to classes [...],
// which are numbers from 0 in the type of the logits:
//
//	log Σ exp(l − max l) − (l_c − max l)
func CrossEntropy(logits, classes *Node) *Node {
	largest := StopGradient(ReduceAndKeep(logits, ReduceMax, -1))
	logits = Sub(logits, largest)
	number := Iota(logits.Graph(), logits.Shape(), logits.Rank()-1)
	own := ConvertDType(Equal(number, ExpandAxes(classes, -1)), logits.DType())
	return Sub(Log(ReduceSum(Exp(logits), -1)), ReduceSum(Mul(logits, own), -1))
}
