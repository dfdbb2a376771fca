package synlayer

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// CLAMPooling is the CLAM of Lu et al. 2021 (Methods): the gated attention of [AttentionPooling], and in training an
// instance loss that separates the most from the least attended instances. With one logit it is the single-branch CLAM.
//
//	pooled, a = gated attention of x;  logit = pooled W_c + b_c
//	s_i       = x_i W_s + b_s                       for class 0 and class 1
//	T, B      = the k instances with the largest and the smallest a
//	instance  = 1/2k (Σ over T of h(−s_i) + Σ over B of h(s_i))     s_i of the label's class
//	h(s)      = log(1 + exp(1 + s))                 the smooth SVM loss of two classes, with margin and temperature 1
//	loss      = (1−w) · L(logit) + w · instance       L is the loss of the outputs
//
// k is Top, or half of the bag if that is less, so T and B never overlap; a bag of one instance has no instance loss. (The
// published program always takes Top and fails on smaller bags.) The choice of T and B has no gradient.
//
// With several classes it is the multi-branch CLAM: each class has its own attention, head of the weights, pooled vector and
// logit. T and B are chosen by the attention of the label's class.
//
// Variables, by path below the scope: those of [AttentionPooling]; classifier [features, 1], or classifier_0, classifier_1,
// ... [features, 1] with several classes; and instance [features, classes], with at least two classes. Each has weights and
// bias.
//
// The paper uses two logits per bag, and two per instance and class. Here each pair is replaced by its difference: the
// losses depend on nothing else.
type CLAMPooling struct {
	Embed          int     // number of hidden features of the attention, 256 in the paper
	Top            int     // k, 8 in the paper
	InstanceWeight float64 // w in [0, 1], 0.3 in the paper
}

var _ Classifier = CLAMPooling{}

// DefaultCLAM returns the paper's values.
func DefaultCLAM() CLAMPooling { return CLAMPooling{Embed: 256, Top: 8, InstanceWeight: 0.3} }

// Validate reports the first invalid hyperparameter.
func (p CLAMPooling) Validate() error {
	if !(p.InstanceWeight >= 0 && p.InstanceWeight <= 1) {
		return fmt.Errorf("synlayer: CLAMPooling with instance weight %g, want one in [0, 1]", p.InstanceWeight)
	}
	return cmp.Or(checkCount("CLAMPooling", "embedding", p.Embed), checkTop("CLAMPooling", p.Top))
}

// MaxTop is the largest Top of [CLAMPooling] and [ACMILPooling]; the graph grows with Top.
const MaxTop = 64

// checkTop reports a Top that is out of range.
func checkTop(of string, k int) error {
	if k < 1 || k > MaxTop {
		return fmt.Errorf("synlayer: %s with top %d, want 1 to %d", of, k, MaxTop)
	}
	return nil
}

// Pool implements [Pooling], with one head. It panics with the error of Validate.
func (p CLAMPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	return AttentionPooling{Embed: p.Embed, Gated: true}.Pool(scope, bags)
}

// Classify implements [Classifier]. It panics with the error of Validate.
func (p CLAMPooling) Classify(scope *model.Scope, bags Bags, outputs int) Classification {
	mustBe(p)
	bags = bags.clean()
	numMembers := bags.Members()
	classes := max(outputs, 2)
	instance := swapLast(Dense(scope.In("instance"), bags.X, numMembers, classes)) // [batch, classes, instances]
	var logits, pooled, weights *Node
	if outputs == 1 {
		pooled, weights = p.Pool(scope, bags)
		logits = batched.Classify(scope, pooled, numMembers, 1)
	} else {
		weights = BagSoftmax(attentionLogits(scope, bags.X, numMembers, p.Embed, outputs, true), bags.Mask)
		var sums, each []*Node
		for k := range outputs {
			sum := weightedSum(SliceAxis(weights, -2, AxisElem(k)), bags.X)
			sums, each = append(sums, sum), append(each, Dense(scope.In("classifier_%d", k), sum, numMembers, 1))
		}
		pooled, logits = Concatenate(sums, -1), Concatenate(each, -1)
	}
	return Classification{Logits: logits, Pooled: pooled, Weights: weights, Loss: func(loss func(*Node) *Node, labels *Node) *Node {
		label := ExpandAxes(labels, -1, -2)   // [batch, 1, 1]
		own := func(rows *Node) (row *Node) { // that of the label's class
			for k := range classes {
				is := ConvertDType(Equal(label, Scalar(label.Graph(), label.DType(), float64(k))), rows.DType())
				if part := Mul(SliceAxis(rows, -2, AxisElem(k)), is); row == nil {
					row = part
				} else {
					row = Add(row, part)
				}
			}
			return row
		}
		attended := weights
		if outputs > 1 {
			attended = own(weights)
		}
		clusters := ReduceSum(p.clusters(own(instance), attended, bags.Mask), -1, -2)
		return Add(MulScalar(loss(logits), 1-p.InstanceWeight), MulScalar(clusters, p.InstanceWeight))
	}}
}

// clusters returns what each instance adds to the instance loss, from its score and weight [batch, 1, instances].
func (p CLAMPooling) clusters(score, weights, mask *Node) *Node {
	const halves = 2
	top := topInstances(weights, mask, p.Top, halves)
	either := Or(top, topInstances(Neg(weights), mask, p.Top, halves))
	value, differentiated := batched.Softened(OnePlus(Where(top, Neg(score), score)))
	loss := StraightThrough(differentiated, value)
	count := ReduceAndKeep(ConvertDType(either, score.DType()), ReduceSum, -1)
	return Div(Where(either, loss, ZerosLike(loss)), batched.OneIfZero(count))
}
