package batched

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Syn is the Syn of package synlayer.
func Syn(weights, gamma *Node, iterations int) *Node {
	return SynWith(unitLength, weights, gamma, iterations)
}

// SynWith is [Syn] with a custom function unit that divides by the L2 norm over the last axis. Apart from unit it neither
// reduces nor takes a scalar from GoMLX's cache, as OneMinus, IsZero and others do: inside a loop on XLA, either would break
// the graph outside.
func SynWith(unit func(weights *Node) *Node, weights, gamma *Node, iterations int) *Node {
	step := synStep
	if iterations < 0 {
		step, iterations = synInverseStep, -iterations
	}
	for range iterations {
		weights = step(unit(weights), Along(gamma, weights))
	}
	return weights
}

// SynUpTo is [Syn] with the number of iterations given as a node (a scalar or [members]) with values in [-bound, bound]. It
// costs as much as bound steps in both directions.
func SynUpTo(weights, gamma, iterations *Node, bound int) *Node {
	if bound < 0 {
		exceptions.Panicf("synlayer: the bound of the iterations is %d, want 0 or more", bound)
	}
	iterations = Along(iterations, weights)
	forward := BroadcastToDims(GreaterThan(iterations, ScalarZero(weights.Graph(), weights.DType())), weights.Shape().Dimensions...)
	count := Abs(iterations)
	gamma = Along(gamma, weights)
	for i := range bound {
		unit := unitLength(weights)
		next := Where(forward, synStep(unit, gamma), synInverseStep(unit, gamma))
		active := BroadcastToDims(GreaterThan(count, ConstAs(weights, i)), weights.Shape().Dimensions...)
		weights = Where(active, next, weights)
	}
	return weights
}

// LogSyn is the LogSyn of package synlayer, with the mask real in the shape of logits, or nil, and the number of iterations
// as a scalar or [members].
func LogSyn(logits, real, iterations *Node) *Node {
	infinite := BroadcastToDims(Infinity(logits.Graph(), logits.DType(), -1), logits.Shape().Dimensions...)
	keep := func(x, other *Node) *Node { return x }
	if real != nil {
		keep = func(x, other *Node) *Node { return Where(real, x, other) }
	}
	largest := StopGradient(ReduceAndKeep(keep(logits, infinite), ReduceMax, -1))
	largest = Where(IsFinite(largest), largest, filled(largest, 0))
	l := keep(Sub(logits, largest), filled(logits, 0))

	i := Along(iterations, logits)
	sign := Sign(i)
	three := ConstAs(i, 3.0)
	s, q := Pow(three, sign), Add(Abs(sign), ConstAs(i, 1.0))
	l = Mul(l, Pow(three, Sub(i, sign)))
	sum := ReduceAndKeep(keep(Exp(Mul(l, q)), filled(l, 0)), ReduceSum, -1)
	l = Mul(s, Sub(l, Div(Log(OneIfZero(sum)), q)))
	return keep(l, infinite)
}

// unitLength divides by the L2 norm over the last axis; a row of zeros stays unchanged. Dividing by the largest magnitude
// first keeps the squares from underflowing.
func unitLength(w *Node) *Node {
	w = Div(w, OneIfZero(StopGradient(ReduceAndKeep(Abs(w), ReduceMax, -1))))
	return Div(w, Sqrt(OneIfZero(ReduceAndKeep(Square(w), ReduceSum, -1))))
}

// OneIfZero replaces zeros by ones, as a guard before a division or a root.
func OneIfZero(x *Node) *Node {
	return Where(isZero(x), filled(x, 1), x)
}

// GoMLX's IsZero, OnesLike and OneMinus without its cache of scalars.

func isZero(x *Node) *Node { return Equal(x, ConstAs(x, 0.0)) }

// filled returns an array with the shape of x filled with value.
func filled(x *Node, value float64) *Node {
	return BroadcastToDims(ConstAs(x, value), x.Shape().Dimensions...)
}

func oneMinus(x *Node) *Node { return Sub(ConstAs(x, 1.0), x) }

// synStep is f(x) = γx³ + (1−γ)x (equation 10).
func synStep(x, gamma *Node) *Node {
	return Mul(x, Add(Mul(gamma, Square(x)), oneMinus(gamma)))
}

// synInverseStep is the real root x of γx³ + (1−γ)x = y (equation 11), stable for every y, with the gradient 1/f'(x) =
// 1/(3γx² + 1−γ). If γ is 1 and |y| is below the smallest normal number (including 0), f' vanishes and the gradient is set
// to 0.
func synInverseStep(y, gamma *Node) *Node {
	x := StopGradient(cubicRoot(y, gamma))
	slope := StopGradient(Add(Mul(Mul(gamma, Square(x)), ConstAs(x, 3.0)), oneMinus(gamma)))
	flat := LessThan(slope, ConstAs(slope, flatSlope(y.DType())))
	gradient := Where(flat, filled(slope, 0), Div(ConstAs(slope, 1.0), Where(flat, filled(slope, 1), slope)))
	return Add(x, Mul(Sub(y, StopGradient(y)), gradient))
}

// flatSlope is f' at γ = 1 and y the smallest normal number: 3·y^(2/3).
func flatSlope(dtype dtypes.DType) float64 {
	if dtype == dtypes.Float64 {
		return 3 * math.Pow(0x1p-1022, 2./3)
	}
	return 3 * math.Pow(0x1p-126, 2./3)
}

// cubicRoot is the root of [synInverseStep].
func cubicRoot(y, gamma *Node) *Node {
	zero := isZero(y)
	q := Div(Abs(Where(zero, filled(y, 1), y)), gamma)
	p := Div(oneMinus(gamma), gamma)
	// 2u³ = q + √(q² + 4p³/27), the root as a hypotenuse, whose squares neither overflow nor underflow.
	b := Mul(Mul(p, Sqrt(Mul(p, ConstAs(p, 1./27)))), ConstAs(p, 2.0))
	long, short := Max(q, b), Min(q, b)
	root := Mul(long, Sqrt(Add(ConstAs(long, 1.0), Square(Div(short, OneIfZero(long))))))
	u := Mul(Pow(Add(q, root), ConstAs(q, 1./3)), ConstAs(q, math.Cbrt(0.5)))
	third := Mul(p, ConstAs(p, 1./3))
	x := Div(q, Add(Add(Square(u), third), Square(Div(third, OneIfZero(u)))))
	return Where(zero, filled(y, 0), Mul(Sign(y), x))
}
