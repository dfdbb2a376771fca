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
	if a.Heads < 1 || a.Embed < 1 || a.Embed%a.Heads != 0 {
		exceptions.Panicf("sequence: MultiHeadAttention of %d heads, which do not divide an embedding of %d", a.Heads, a.Embed)
	}
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
	g := query.Graph()
	batch, queries, keys := query.Shape().Dim(0), query.Shape().Dim(1), key.Shape().Dim(1)
	size := a.Embed / a.Heads
	heads := func(name string, x *Node) *Node { // [batch, heads, items, size]
		y := synlayer.Dense(scope.In("%s", name), x, 0, a.Embed)
		return Transpose(Reshape(y, batch, -1, a.Heads, size), 1, 2)
	}
	q, k, v := heads("query", query), heads("key", key), heads("value", value)
	logits := MulScalar(Einsum("bhqd,bhkd->bhqk", q, k), 1/math.Sqrt(float64(size)))
	seen := BroadcastToDims(ExpandAxes(explicit, 1, 2), batch, a.Heads, queries, keys)
	if a.Causal {
		seen = And(seen, BroadcastToDims(ExpandAxes(upTo(g, queries, keys), 0, 1), batch, a.Heads, queries, keys))
	}
	weights = weigh(logits, seen, a.Adjust)
	joined := Reshape(Transpose(Einsum("bhqk,bhkd->bhqd", weights, v), 1, 2), batch, queries, a.Embed)
	return synlayer.Dense(scope.In("output"), joined, 0, a.Embed), weights
}

// upTo returns a mask [queries, keys] that is true where the key is not after the query.
func upTo(g *Graph, queries, keys int) *Node {
	places := shapes.Make(dtypes.Int32, queries, keys)
	return GreaterOrEqual(Iota(g, places, 0), Iota(g, places, 1))
}
