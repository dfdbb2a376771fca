package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// DeepSets is a trainable function of a set, f(X) = ρ(Σ_{x ∈ X} φ(x)) (Zaheer et al. 2017, theorem 2). Other poolings than
// [synlayer.SumPooling] are possible: with a mean it is the same network up to a scale if all sets have the same size, and
// with attention it is a multiple-instance network (Ilse et al. 2018). φ and ρ are dense layers with ReLU between them; φ
// also has one after its last layer.
//
// Variables, by path below the scope: element_0, element_1, ... and set_0, set_1, ... (weights, bias), and those of the
// pooling below pooling.
type DeepSets struct {
	Element []int // number of features of each layer of φ
	Pooling synlayer.Pooling
	Set     []int // number of features of each layer of ρ; the last is that of f
}

// Apply returns f [batch, features] for each set in bags, and the pooling's weights.
func (d DeepSets) Apply(scope *model.Scope, bags synlayer.Bags) (f, weights *Node) {
	if len(d.Set) == 0 {
		exceptions.Panicf("sequence: DeepSets without layers of the set, want one or more")
	}
	bags = clean(bags)
	members := bags.Members()
	for i, width := range d.Element {
		bags.X = batched.Relu(synlayer.Dense(scope.In("element_%d", i), bags.X, members, width))
	}
	f, weights = d.Pooling.Pool(scope.In("pooling"), bags)
	for i, width := range d.Set {
		if i > 0 {
			f = batched.Relu(f)
		}
		f = synlayer.Dense(scope.In("set_%d", i), f, members, width)
	}
	return f, weights
}

// Scores returns f({x} ∪ X) [batch, candidates] for each set X in bags and each x in candidates [batch, candidates,
// features]. The score says how well x fits X, or how badly, depending on the training. f must have one feature; a members
// axis is not supported.
func (d DeepSets) Scores(scope *model.Scope, bags synlayer.Bags, candidates *Node) *Node {
	if len(d.Set) == 0 || d.Set[len(d.Set)-1] != 1 {
		exceptions.Panicf("sequence: Scores of DeepSets with layers %v of the set, want one feature in the last", d.Set)
	}
	bags = single(bags)
	dims := bags.X.Shape().Dimensions
	if candidates.Rank() != 3 || candidates.Shape().Dim(0) != dims[0] || candidates.Shape().Dim(2) != dims[2] {
		exceptions.Panicf("sequence: candidates %s of sets %s, want [batch, candidates, features]", candidates.Shape(), bags.X.Shape())
	}
	count := candidates.Shape().Dim(1)
	each := func(x *Node) *Node { // for each candidate
		dims := x.Shape().Dimensions
		return BroadcastToDims(ExpandAxes(x, 1), append([]int{dims[0], count}, dims[1:]...)...)
	}
	x := Concatenate([]*Node{each(bags.X), ExpandAxes(candidates, 2)}, 2)
	mask := Concatenate([]*Node{each(bags.Mask), BroadcastToDims(Const(x.Graph(), true), dims[0], count, 1)}, 2)
	union := synlayer.Bags{X: Reshape(x, -1, dims[1]+1, dims[2]), Mask: Reshape(mask, -1, dims[1]+1), DropoutKey: bags.DropoutKey}
	f, _ := d.Apply(scope, union)
	return Reshape(f, dims[0], count)
}

// RankingLoss returns the mean of max(0, Δ − f({x} ∪ X) + f({x'} ∪ X)) over all pairs of a chosen x and an x' that is not
// chosen. It is 0 if the scores [batch, candidates] where chosen [batch, candidates] is true exceed the others by the margin
// Δ. A row without both kinds adds nothing.
func RankingLoss(scores, chosen *Node, margin float64) *Node {
	chosen.AssertDims(scores.Shape().Dimensions...)
	difference := Sub(ExpandAxes(scores, 1), ExpandAxes(scores, 2)) // [batch, x, x'] f(x') - f(x)
	dims := difference.Shape().Dimensions
	pair := And(BroadcastToDims(ExpandAxes(chosen, 2), dims...), BroadcastToDims(ExpandAxes(Not(chosen), 1), dims...))
	lost := Where(pair, batched.Relu(AddScalar(difference, margin)), ZerosLike(difference))
	pairs := ReduceAllSum(ConvertDType(pair, scores.DType()))
	return Div(ReduceAllSum(lost), MaxScalar(pairs, 1))
}
