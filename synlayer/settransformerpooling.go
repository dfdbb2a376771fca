package synlayer

import (
	"cmp"
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
)

// SetTransformerPooling is the Set Transformer of Lee et al. 2019: Blocks induced set attention blocks, where the instances
// attend to each other through M inducing points, and then pooling by multihead attention with one seed.
//
//	MAB(X, Y)  = LN(H + rFF(H)),  H = LN(X + Multihead(X, Y, Y))     equations 6 and 7
//	ISAB(X)    = MAB(X, MAB(I, X))                                   equations 9 and 10, I [M, Embed]
//	pooled     = MAB(S, rFF(Z)), Z = ISAB(...ISAB(x W + b))          equation 11, S [1, Embed]
//	rFF(x)     = ReLU(x W + b)
//	Multihead  = concatenated heads of softmax(q·k/√Embed) v, times W_o + b_o, with q, k, v affine maps of X, Y, Y
//
// The weights are the seed's attention to the instances, one row per head. A pooled vector has Embed features. The first
// affine map, x W + b, maps the instances to Embed features. The paper pools with several seeds, followed by attention among
// them (equation 12); here there is one seed, followed by the network's classifier. An empty bag gives the result of the
// seed alone.
//
// Variables, by path below the scope: input [features, Embed]; isab_0, isab_1, ..., each with inducing [M, Embed] and two
// blocks, "induce" and "read"; pma with seed [1, Embed], feedforward [Embed, Embed] and a block, "pool". A block has query,
// key, value, output, feedforward [Embed, Embed] (weights, bias) and the layer norms attention_norm and feedforward_norm
// (gain, bias).
type SetTransformerPooling struct {
	Embed    int  // number of features of all blocks, 128 in the published program
	Heads    int  // must divide Embed; 4 in the paper
	Inducing int  // M, 16 in the paper's experiments on point clouds
	Blocks   int  // number of induced set attention blocks, 2 in the paper
	Norm     bool // use layer norms
}

var _ Pooling = SetTransformerPooling{}

// DefaultSetTransformer returns the paper's values.
func DefaultSetTransformer() SetTransformerPooling {
	return SetTransformerPooling{Embed: 128, Heads: 4, Inducing: 16, Blocks: 2, Norm: true}
}

// Validate reports the first invalid hyperparameter.
func (p SetTransformerPooling) Validate() error {
	if p.Blocks < 0 {
		return fmt.Errorf("synlayer: SetTransformerPooling with %d blocks, want 0 or more", p.Blocks)
	}
	return cmp.Or(checkHeads("SetTransformerPooling", p.Heads, p.Embed), checkCount("SetTransformerPooling", "inducing points", p.Inducing))
}

// Pool implements [Pooling]. It panics with the error of Validate.
func (p SetTransformerPooling) Pool(scope *model.Scope, bags Bags) (pooled, weights *Node) {
	mustBe(p)
	bags = bags.clean()
	x, numMembers := bags.X, bags.Members()
	x = Dense(scope.In("input"), x, numMembers, p.Embed)
	points := func(scope *model.Scope, name string, count int) *Node { // [1, count, Embed], the same for each bag
		v := Variable(scope, x.Graph(), x.DType(), name, XavierUniform(count, p.Embed), numMembers, count, p.Embed)
		return ExpandAxes(v, -3)
	}
	for i := range p.Blocks {
		block := scope.In("isab_%d", i)
		induced, _ := p.attend(block.In("induce"), points(block, "inducing", p.Inducing), x, bags.Mask, numMembers)
		x, _ = p.attend(block.In("read"), x, induced, nil, numMembers)
	}
	pma := scope.In("pma")
	x = batched.Relu(Dense(pma.In("feedforward"), x, numMembers, p.Embed))
	pooled, weights = p.attend(pma.In("pool"), points(pma, "seed", 1), x, bags.Mask, numMembers)
	return Squeeze(pooled, -2), weights
}

// attend returns MAB(x, y) and the weights [batch, Heads·queries, keys], for x [batch, queries, Embed], or [1, queries,
// Embed] for all bags, and y [batch, keys, Embed]. Either all have a members axis or none. The mask [batch, keys] marks the
// real keys; nil means all.
func (p SetTransformerPooling) attend(scope *model.Scope, x, y, mask *Node, numMembers int) (out, weights *Node) {
	norm := func(name string, x *Node) *Node {
		if !p.Norm {
			return x
		}
		return LayerNorm(scope.In("%s", name), x, numMembers)
	}
	project := func(name string, x *Node) *Node { return Dense(scope.In("%s", name), x, numMembers, p.Embed) }
	dims := append([]int{}, y.Shape().Dimensions...)
	keys, queries, bags := dims[len(dims)-2], x.Shape().Dim(-2), dims[:len(dims)-2]
	joined := func(last ...int) []int { return append(append([]int{}, bags...), last...) }
	// [bags of all members, rows, heads, head size]
	heads := func(x *Node, rows int) *Node {
		x = BroadcastToDims(x, joined(rows, p.Embed)...)
		return Reshape(x, -1, rows, p.Heads, p.Embed/p.Heads)
	}
	q, k, v := heads(project("query", x), queries), heads(project("key", y), keys), heads(project("value", y), keys)
	logits := MulScalar(Einsum("bqhd,bkhd->bhqk", q, k), 1/math.Sqrt(float64(p.Embed)))
	weights = BagSoftmax(Reshape(logits, joined(p.Heads*queries, keys)...), mask)
	read := Einsum("bhqk,bkhd->bqhd", Reshape(weights, -1, p.Heads, queries, keys), v)
	read = project("output", Reshape(read, joined(queries, p.Embed)...))
	h := norm("attention_norm", Add(BroadcastToDims(x, joined(queries, p.Embed)...), read))
	return norm("feedforward_norm", Add(h, batched.Relu(project("feedforward", h)))), weights
}
