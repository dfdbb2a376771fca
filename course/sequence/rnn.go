package sequence

import (
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// RNN is a recurrent encoder. Where the mask is false, the state is unchanged and the output is 0, so padding has no effect
// at any position, and a sequence without a real word ends in its initial state.
//
// The recurrence is a While loop with a custom gradient on XLA, and unrolled on GoMLX's Go backend. Loops cannot be nested,
// so a graph with an RNN that is not unrolled cannot be the body of a loop.
//
// Variables, by path below the scope, for forward and, if bidirectional, backward: weights [features, gates·Hidden],
// recurrent [Hidden, gates·Hidden], bias and recurrent_bias [gates·Hidden]; they are PyTorch's weight_ih, weight_hh
// (transposed), bias_ih and bias_hh, and are likewise drawn from U(−1/√Hidden, 1/√Hidden).
type RNN struct {
	Cell          Cell
	Hidden        int  // number of features of the state, per direction
	Bidirectional bool // a second cell reads from the end; outputs are concatenated, forward first
	// Dropout is the dropout rate of the state before it enters the gates, in [0, 1), drawn once per sequence and feature
	// for all steps (Gal and Ghahramani 2016).
	Dropout float64
	// Unroll unrolls the recurrence on every backend. The time to compile then grows with the number of steps.
	Unroll bool
}

// Encode reads the sequences s.X [batch, length, features] and returns the states [batch, length, outputs] and the last
// state: h and, for an LSTM, c, each [batch, outputs], where outputs is Hidden times the number of directions. The last state of the backward direction is at the first word.
// initial is the state to start from, in the same form; nil means 0.
func (r RNN) Encode(scope *model.Scope, s synlayer.Bags, initial []*Node) (states *Node, last []*Node) {
	s = single(s)
	if r.Hidden < 1 || r.Cell != LSTM && r.Cell != GRU {
		exceptions.Panicf("sequence: RNN of %s with %d hidden features, want an LSTM or GRU with 1 or more", r.Cell, r.Hidden)
	}
	checkRate("RNN", r.Dropout)
	if initial != nil && len(initial) != r.Cell.states() {
		exceptions.Panicf("sequence: %d arrays as the initial state of an %s, want %d", len(initial), r.Cell, r.Cell.states())
	}
	batch := s.X.Shape().Dim(0)
	x, mask := Transpose(s.X, 0, 1), Transpose(s.Mask, 0, 1)
	directions := []string{"forward", "backward"}
	if !r.Bidirectional {
		directions = directions[:1]
	}
	var outputs []*Node
	lasts := make([][]*Node, r.Cell.states())
	for d, name := range directions {
		from := make([]*Node, r.Cell.states())
		for i := range from {
			if initial == nil {
				from[i] = zeros(x, batch, r.Hidden)
				continue
			}
			initial[i].AssertDims(batch, len(directions)*r.Hidden)
			from[i] = SliceAxis(initial[i], -1, AxisRange(d*r.Hidden, (d+1)*r.Hidden))
		}
		in := scope.In("%s", name)
		w := r.weights(in, x)
		if r.Dropout > 0 && s.DropoutKey != nil {
			w.drop = channels(in.In("dropout"), s, r.Hidden, r.Dropout)
		}
		y, end := r.run(w, x, mask, from, d == 1)
		outputs = append(outputs, y)
		for i := range lasts {
			lasts[i] = append(lasts[i], end[i])
		}
	}
	for _, l := range lasts {
		last = append(last, Concatenate(l, -1))
	}
	return zeroUnless(s.Mask, Transpose(Concatenate(outputs, -1), 0, 1)), last
}

// cellWeights are the weights of one direction.
type cellWeights struct {
	input, recurrent, bias, recurrentBias *Node
	drop                                  *Node // [batch, hidden], dropout factors of the state before it enters the gates; or nil
}

// weights returns the variables for x [..., features].
func (r RNN) weights(scope *model.Scope, x *Node) cellWeights {
	width := r.Cell.gates() * r.Hidden
	variable := func(name string, dims ...int) *Node {
		return synlayer.Variable(scope, x.Graph(), x.DType(), name, r.uniform(), 0, dims...)
	}
	return cellWeights{
		input: variable("weights", x.Shape().Dim(-1), width), recurrent: variable("recurrent", r.Hidden, width),
		bias: variable("bias", width), recurrentBias: variable("recurrent_bias", width),
	}
}

// uniform draws a weight of the cell.
func (r RNN) uniform() func(*rand.Rand) float64 {
	bound := 1 / math.Sqrt(float64(r.Hidden))
	return func(rng *rand.Rand) float64 { return bound * (2*rng.Float64() - 1) }
}

// gatesOf maps x [..., features] to the gates.
func gatesOf(x, weights, bias *Node) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	width := bias.Shape().Size()
	dims[len(dims)-1] = width
	return Reshape(Add(MatMul(Reshape(x, -1, x.Shape().Dim(-1)), weights), Reshape(bias, 1, width)), dims...)
}

// run reads x [length, batch, features], starting from the state initial. It returns the state h after each step [length,
// batch, hidden] and the last state.
func (r RNN) run(w cellWeights, x, mask *Node, initial []*Node, reverse bool) (states *Node, last []*Node) {
	length, batch := x.Shape().Dim(0), x.Shape().Dim(1)
	width := r.Cell.gates() * r.Hidden
	in := gatesOf(x, w.input, w.bias)
	keep := func(mask *Node, next, before []*Node) []*Node {
		kept := make([]*Node, len(next))
		for i := range next {
			kept[i] = Where(mask, next[i], before[i])
		}
		return kept
	}
	fixed := []*Node{w.recurrent, Reshape(w.recurrentBias, 1, width)}
	dropped := func(h *Node, fixed []*Node) *Node { return h }
	if w.drop != nil {
		fixed = append(fixed, w.drop)
		dropped = func(h *Node, fixed []*Node) *Node { return Mul(h, fixed[2]) }
	}
	last, outs := scan(length, reverse, r.Unroll, stopped(initial...), stopped(in, mask), stopped(fixed...), [][]int{{batch, r.Hidden}, {batch, saved * r.Hidden}},
		func(state, rows, fixed []*Node) (next, out []*Node) {
			next, kept := r.Cell.forward(state, rows[0], Add(MatMul(dropped(state[0], fixed), fixed[0]), fixed[1]))
			next = keep(rows[1], next, state)
			return next, []*Node{next[0], kept}
		})
	states, kept := outs[0], outs[1]
	out := withGradient(append([]*Node{states}, last...), append([]*Node{in, w.recurrent, w.recurrentBias}, initial...), func(v []*Node) []*Node {
		back := stopped(fixed...)
		back[0] = Transpose(back[0], 0, 1)
		dims := [][]int{{batch, width}}
		if r.Cell == GRU {
			dims = append(dims, dims[0])
		}
		first, outs := scan(length, !reverse, r.Unroll, v[1:], []*Node{v[0], kept, StopGradient(mask)}, back, dims,
			func(by, rows, fixed []*Node) (next, out []*Node) {
				by = append([]*Node{Add(by[0], rows[0])}, by[1:]...)
				before, x, u := r.Cell.backward(rows[1], by)
				before[0] = Add(before[0], dropped(MatMul(u, fixed[0]), fixed))
				nothing := zeros(x, batch, width)
				there := rows[2]
				out = []*Node{Where(there, u, nothing)}
				if r.Cell == GRU {
					out = append(out, Where(there, x, nothing))
				}
				return keep(there, before, by), out
			})
		byU := Reshape(outs[0], -1, width)
		before := Concatenate([]*Node{ExpandAxes(initial[0], 0), SliceAxis(states, 0, AxisRange(0, length-1))}, 0)
		if reverse {
			before = Concatenate([]*Node{SliceAxis(states, 0, AxisRange(1, length)), ExpandAxes(initial[0], 0)}, 0)
		}
		if w.drop != nil {
			before = Mul(before, ExpandAxes(w.drop, 0))
		}
		byRecurrent := Einsum("rh,rw->hw", Reshape(before, -1, r.Hidden), byU)
		return append([]*Node{outs[len(outs)-1], byRecurrent, ReduceSum(byU, 0)}, first...)
	})
	return out[0], out[1:]
}
