package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// TransformerLayer is the encoder layer ([TransformerLayer.Encode]) and the decoder layer ([TransformerLayer.Decode]) of
// Vaswani et al. 2017, section 3.1. Each is a chain of sublayers S with a residual connection and a layer norm LN:
//
//	x' = LN(x + S(x))               (as in the paper)
//	x' = x + S(LN(x))               (NormFirst)
//
// The sublayers are
//
//	Attention(x, x, x)              self-attention, in the decoder to the words up to each word
//	Attention(x, source, source)    in the decoder only
//	W₂ f(W₁ x + b₁) + b₂            the feedforward network
//
// f is ReLU, or GELU by the error function. As in the paper, dropout acts on S. PyTorch's layers also drop attention weights and
// f, so with dropout they differ.
//
// Variables, by path below the scope: those of [MultiHeadAttention] below attention and, in the decoder, cross;
// attention_norm, cross_norm and inner_norm (gain, bias) [Embed]; inner [Embed, Inner] and outer [Inner, Embed] (weights,
// bias).
type TransformerLayer struct {
	Attention MultiHeadAttention // of every attention; its Embed must equal the number of features of x
	Inner     int                // number of features of the hidden layer, 4 Embed in the paper
	NormFirst bool
	GELU      bool
	Dropout   float64 // dropout rate of the output of each sublayer in training, 0.1 in the paper
}

// Encode returns y [batch, length, Embed] for x = s.X [batch, length, Embed], and the attention weights [batch, heads,
// length, length]. y is 0 in padding.
func (l TransformerLayer) Encode(scope *model.Scope, s synlayer.Bags) (y, weights *Node) {
	s = single(s)
	l.check(s.X)
	y = l.sublayer(scope, "attention", s.X, s.DropoutKey, func(scope *model.Scope, x *Node) (out *Node) {
		out, weights = l.Attention.Attend(scope, x, x, x, s.Mask)
		return out
	})
	return zeroUnless(s.Mask, l.feedForward(scope, y, s.DropoutKey)), weights
}

// Decode returns y [batch, steps, Embed] for the target words s.X [batch, steps, Embed], the weights of the self-attention
// [batch, heads, steps, steps] and those of the source words [batch, heads, steps, length]. source.X [batch, length,
// features] are the encoder's outputs. Each target word sees only itself and those before it, whatever Attention.Causal is.
// y is 0 in padding.
func (l TransformerLayer) Decode(scope *model.Scope, s, source synlayer.Bags) (y, self, cross *Node) {
	s, source = single(s), single(source)
	l.check(s.X)
	causal, all := l.Attention, l.Attention
	causal.Causal, all.Causal = true, false
	y, self, cross = l.decode(scope, s.X, s.DropoutKey, func(scope *model.Scope, x *Node) (out, weights *Node) {
		return causal.Attend(scope, x, x, x, s.Mask)
	}, func(scope *model.Scope, x *Node) (out, weights *Node) {
		return all.Attend(scope, x, source.X, source.X, source.Mask)
	})
	return zeroUnless(s.Mask, y), self, cross
}

// decode is Decode with the given attention to the target words and to those of the source.
func (l TransformerLayer) decode(scope *model.Scope, x, key *Node, toSelf, toSource func(scope *model.Scope, x *Node) (out, weights *Node)) (y, self, cross *Node) {
	x = l.sublayer(scope, "attention", x, key, func(scope *model.Scope, x *Node) (out *Node) {
		out, self = toSelf(scope, x)
		return out
	})
	x = l.sublayer(scope, "cross", x, key, func(scope *model.Scope, x *Node) (out *Node) {
		out, cross = toSource(scope, x)
		return out
	})
	return l.feedForward(scope, x, key), self, cross
}

// feedForward is the last sublayer.
func (l TransformerLayer) feedForward(scope *model.Scope, x, key *Node) *Node {
	return l.sublayer(scope, "inner", x, key, func(inner *model.Scope, x *Node) *Node {
		hidden := synlayer.Dense(inner, x, 0, l.Inner)
		if l.GELU {
			hidden = activation.Gelu(hidden)
		} else {
			hidden = batched.Relu(hidden)
		}
		return synlayer.Dense(scope.In("outer"), hidden, 0, l.Attention.Embed)
	})
}

// sublayer applies f, which has its variables in the scope called name, with the residual connection, norm and dropout.
func (l TransformerLayer) sublayer(scope *model.Scope, name string, x, key *Node, f func(scope *model.Scope, x *Node) *Node) *Node {
	norm := func(x *Node) *Node { return synlayer.LayerNorm(scope.In("%s_norm", name), x, 0) }
	add := func(y *Node) *Node { return Add(x, drop(scope.In("%s_dropout", name), y, l.Dropout, key)) }
	in := scope.In("%s", name)
	if l.NormFirst {
		return add(f(in, norm(x)))
	}
	return norm(add(f(in, x)))
}

func (l TransformerLayer) check(x *Node) {
	l.Attention.check()
	checkRate("TransformerLayer", l.Dropout)
	if width := x.Shape().Dim(-1); l.Inner < 1 || width != l.Attention.Embed {
		exceptions.Panicf("sequence: TransformerLayer of %d features with %d hidden ones on x %s", l.Attention.Embed, l.Inner, x.Shape())
	}
}
