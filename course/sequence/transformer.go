package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// TransformerLayer is the encoder layer of Vaswani et al. 2017: self-attention and a feedforward network with one hidden
// layer, each with a residual connection and a layer norm LN,
//
//	x = LN₁(x + Attention(x)),  y = LN₂(x + W₂ f(W₁ x + b₁) + b₂)               (as in the paper)
//	x = x + Attention(LN₁(x)),  y = x + W₂ f(W₁ LN₂(x) + b₁) + b₂               (NormFirst)
//
// f is ReLU, or GELU by the error function. Variables, by path below the scope: those of [MultiHeadAttention] below
// attention; attention_norm and inner_norm (gain, bias) [Embed]; inner [Embed, Inner] and outer [Inner, Embed] (weights,
// bias).
type TransformerLayer struct {
	Attention MultiHeadAttention // its Embed must equal the number of features of x
	Inner     int                // number of features of the hidden layer, 4 Embed in the paper
	NormFirst bool
	GELU      bool
}

// Encode returns y [batch, length, Embed] for x = s.X [batch, length, Embed], and the attention weights [batch, heads,
// length, length]. y is 0 in padding.
func (l TransformerLayer) Encode(scope *model.Scope, s synlayer.Bags) (y, weights *Node) {
	s = single(s)
	if width := s.X.Shape().Dim(-1); width != l.Attention.Embed {
		exceptions.Panicf("sequence: TransformerLayer of %d features on x %s", l.Attention.Embed, s.X.Shape())
	}
	norm := func(name string, x *Node, here bool) *Node {
		if !here {
			return x
		}
		return synlayer.LayerNorm(scope.In("%s", name), x, 0)
	}
	x := norm("attention_norm", s.X, l.NormFirst)
	attended, weights := l.Attention.Attend(scope.In("attention"), x, x, x, s.Mask)
	x = norm("attention_norm", Add(s.X, attended), !l.NormFirst)
	hidden := synlayer.Dense(scope.In("inner"), norm("inner_norm", x, l.NormFirst), 0, l.Inner)
	if l.GELU {
		hidden = activation.Gelu(hidden)
	} else {
		hidden = batched.Relu(hidden)
	}
	x = Add(x, synlayer.Dense(scope.In("outer"), hidden, 0, l.Attention.Embed))
	return zeroUnless(s.Mask, norm("inner_norm", x, !l.NormFirst)), weights
}
