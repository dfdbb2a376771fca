package sequence

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// MultiHeadAttention is the multi-head scaled dot-product attention of Vaswani et al. 2017 (section 3.2):
//
//	head_i = softmax(q_i k_iᵀ / √d) v_i,  q = Q W_q + b_q,  k = K W_k + b_k,  v = V W_v + b_v
//	out    = (heads concatenated) W_o + b_o
//
// There are Heads heads of d = Embed/Heads features. (GoMLX's own layer cannot adjust its weights and gives NaN if no key is
// real.) Variables, by path below the scope: query, key, value [features, Embed] and output [Embed, Embed], each weights and
// bias.
type MultiHeadAttention struct {
	Embed  int // number of features of all heads together, and of the output
	Heads  int // must divide Embed
	Causal bool
	Adjust Adjustment
}

// Attend returns the output [batch, queries, Embed] and the weights [batch, Heads, queries, keys] of query [batch, queries,
// features], attending to key [batch, keys, features] and value [batch, keys, features]. The mask [batch, keys] is true for
// the real keys, nil for all; with Causal, each query sees the keys up to its own position. If a query sees no key, its
// weights are 0 and its output is b_o.
//
// Queries have no mask, except in self-attention, where query and key are the same node: there the mask of the keys applies.
// Padding among the queries must be finite, and the caller must ignore its output.
func (a MultiHeadAttention) Attend(scope *model.Scope, query, key, value, mask *Node) (out, weights *Node) {
	a.check()
	for i, x := range []*Node{query, key, value} {
		if x.Rank() != 3 || x.Shape().Dim(0) != query.Shape().Dim(0) || i > 0 && x.Shape().Dim(1) != key.Shape().Dim(1) {
			exceptions.Panicf("sequence: attention of query %s on key %s and value %s, want [batch, queries or keys, features]", query.Shape(), key.Shape(), value.Shape())
		}
	}
	selfAttention := key == query
	key, explicit := masked(key, mask)
	if selfAttention {
		query = key
	}
	value, _ = masked(value, mask)
	seen := BroadcastToDims(ExpandAxes(explicit, 1), query.Shape().Dim(0), query.Shape().Dim(1), key.Shape().Dim(1))
	if a.Causal {
		seen = And(seen, BroadcastToDims(ExpandAxes(upTo(query.Graph(), query.Shape().Dim(1), key.Shape().Dim(1)), 0), seen.Shape().Dimensions...))
	}
	return a.attendTo(scope, query, a.project(scope, "key", key), a.project(scope, "value", value), seen)
}

func (a MultiHeadAttention) check() {
	if a.Heads < 1 || a.Embed < 1 || a.Embed%a.Heads != 0 {
		exceptions.Panicf("sequence: MultiHeadAttention of %d heads, which do not divide an embedding of %d", a.Heads, a.Embed)
	}
}

// project returns the map called name, such as key, [batch, items, Embed] of x [batch, items, features].
func (a MultiHeadAttention) project(scope *model.Scope, name string, x *Node) *Node {
	return synlayer.Dense(scope.In("%s", name), x, 0, a.Embed)
}

// attendTo is Attend to projected keys and values [batch, keys, Embed]. seen [batch, queries, keys] says which keys each query
// sees.
func (a MultiHeadAttention) attendTo(scope *model.Scope, query, k, v, seen *Node) (out, weights *Node) {
	dims := seen.Shape().Dimensions
	batch, queries, keys, size := dims[0], dims[1], dims[2], a.Embed/a.Heads
	heads := func(x *Node) *Node { return Transpose(Reshape(x, batch, -1, a.Heads, size), 1, 2) } // [batch, heads, items, size]
	logits := MulScalar(Einsum("bhqd,bhkd->bhqk", heads(a.project(scope, "query", query)), heads(k)), 1/math.Sqrt(float64(size)))
	weights = weigh(logits, BroadcastToDims(ExpandAxes(seen, 1), batch, a.Heads, queries, keys), a.Adjust)
	joined := Reshape(Transpose(Einsum("bhqk,bhkd->bhqd", weights, heads(v)), 1, 2), batch, queries, a.Embed)
	return a.project(scope, "output", joined), weights
}

// upTo returns a mask [queries, keys] that is true where the key is not after the query.
func upTo(g *Graph, queries, keys int) *Node {
	places := shapes.Make(dtypes.Int32, queries, keys)
	return GreaterOrEqual(Iota(g, places, 0), Iota(g, places, 1))
}
