package synlayer

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// Names of maps from attention logits to weights.
const (
	SoftmaxWeights   = "softmax"   // [BagSoftmax]
	SparsemaxWeights = "sparsemax" // [BagSparsemax]
	Entmax15Weights  = "entmax15"  // [BagEntmax15]
)

// checkWeights reports a map that there is not; "" is the softmax.
func checkWeights(of, name string) error {
	if all := []string{SoftmaxWeights, SparsemaxWeights, Entmax15Weights}; name != "" && !slices.Contains(all, name) {
		return fmt.Errorf("synlayer: %s with weights %q, want one of %s", of, name, strings.Join(all, ", "))
	}
	return nil
}

// weightsOf returns the weights of attention logits by the named map.
func weightsOf(name string, logits, mask *Node) *Node {
	switch name {
	case SparsemaxWeights:
		return BagSparsemax(logits, mask)
	case Entmax15Weights:
		return BagEntmax15(logits, mask)
	}
	return BagSoftmax(logits, mask)
}

// BagSparsemax returns the sparsemax of logits l [batch, heads, instances] over the real instances: their Euclidean projection onto the
// probability simplex. Unlikely instances get exactly 0.
//
//	a_i = max(l_i − τ, 0), with τ so that Σ a_i = 1
//
// Mask and members are those of [BagSoftmax]. Source: A. F. T. Martins and R. F. Astudillo, "From softmax to sparsemax" (2016),
// equations 2 and 3.
func BagSparsemax(logits, mask *Node) *Node { return sparseWeights(logits, mask, false) }

// BagEntmax15 returns the 1.5-entmax of logits l [batch, heads, instances] over the real instances. It lies between softmax and
// sparsemax.
//
//	a_i = max(l_i/2 − τ, 0)², with τ so that Σ a_i = 1
//
// Mask and members are those of [BagSoftmax]. Source: B. Peters, V. Niculae and A. F. T. Martins, "Sparse sequence-to-sequence models"
// (2019), equation 11.
func BagEntmax15(logits, mask *Node) *Node { return sparseWeights(logits, mask, true) }

// newtonSteps reach τ to nine digits: at most 17 were needed for 3,000 random bags of up to 100,000 instances, many of them made to be
// slow. The last step and the division by the sum correct what is left.
const newtonSteps = 20

// sparseWeights returns the powers of max(z − τ, 0) that sum to 1, for z = l and the power 1, or squared for z = l/2 and the power 2.
//
// The sum falls with τ and is convex, so Newton's steps from max z − 1, where it is 1 or more, never pass the root. A last step with a
// constant slope has the gradient of τ by the implicit function theorem.
func sparseWeights(logits, mask *Node, squared bool) *Node {
	real := mask
	if mask == nil {
		real = BroadcastToDims(Const(logits.Graph(), true), logits.Shape().Dimensions...)
	} else {
		real = batched.MaskLike(mask, logits, -2)
	}
	z := logits
	if squared {
		z = MulScalar(z, 0.5)
	}
	z = belowLargest(real, z)
	sum := func(x *Node) *Node { return ReduceAndKeep(x, ReduceSum, -1) }
	above := func(z, tau *Node) *Node { return Where(real, batched.Relu(Sub(z, tau)), ZerosLike(z)) }
	step := func(z, tau *Node) *Node {
		r := above(z, tau)
		if !squared {
			slope := sum(ConvertDType(GreaterThan(r, ZerosLike(r)), r.DType()))
			return Add(tau, Div(AddScalar(sum(r), -1), batched.OneIfZero(slope)))
		}
		slope := StopGradient(MulScalar(sum(r), 2))
		return Add(tau, Div(AddScalar(sum(Square(r)), -1), batched.OneIfZero(slope)))
	}
	fixed := StopGradient(z)
	tau := AddScalar(ZerosLike(sum(fixed)), -1)
	for range newtonSteps {
		tau = step(fixed, tau)
	}
	a := above(z, step(z, StopGradient(tau)))
	if squared {
		a = Square(a)
	}
	return Div(a, batched.OneIfZero(sum(a)))
}
