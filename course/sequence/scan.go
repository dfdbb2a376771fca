package sequence

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
)

// scan runs a recurrence over the first axis, of size steps, of the arrays in rows. For t = 0, 1, ..., or from last to first
// if reverse, step gets the carried values, row t of each array and the fixed values; it returns the next carried values and
// row t of each output. dims are the dimensions of the output rows, which have the type of the carried values. scan returns
// the last carried values and the outputs [steps, dims].
//
// It is one While loop if the backend supports loops, so the time to compile does not grow with steps. GoMLX's Go backend
// does not support them, but compiles nothing: there, or with unroll, each step has its own nodes. GoMLX has no gradient of
// loops: the caller must provide it (withGradient), by a second scan.
//
// On XLA, step must follow these rules. It must read only its arguments, because a closure cannot use nodes made outside. It
// must not call functions that take a scalar from GoMLX's cache (ScalarOne, OneMinus, MulScalar, ZerosLike, Gradient, ...):
// a scalar made inside would be reused by the graph outside, where GoMLX panics. It must not reduce; use [batched.SumLast]
// and maxLast. (go-xla 0.4.1 keeps the function that adds or compares two numbers for the whole graph, but as a part of the
// first loop or graph that reduced, and refuses it to all others.) It must not contain a loop, because GoMLX's loops on XLA
// cannot be nested.
func scan(steps int, reverse, unroll bool, carried, rows, fixed []*Node, dims [][]int, step func(carried, rows, fixed []*Node) (next, out []*Node)) (last, outs []*Node) {
	g := carried[0].Graph()
	if unroll || !hasLoops(g) {
		return scanUnrolled(steps, reverse, carried, rows, fixed, len(dims), step)
	}
	for _, d := range dims {
		outs = append(outs, zeros(carried[0], append([]int{steps}, d...)...))
	}
	all := slices.Concat([]*Node{Const(g, int32(0))}, carried, outs, rows, fixed)
	closure := func(f func(g *Graph, state []*Node) []*Node) *Function {
		return NewClosure(g, func(g *Graph) []*Node {
			state := make([]*Node, len(all))
			for i, s := range all {
				state[i] = Parameter(g, fmt.Sprintf("state%d", i), s.Shape())
			}
			return f(g, state)
		})
	}
	condition := closure(func(g *Graph, state []*Node) []*Node {
		return []*Node{LessThan(state[0], Const(g, int32(steps)))}
	})
	body := closure(func(g *Graph, state []*Node) []*Node {
		done, rest := state[0], state[1:]
		take := func(n int) (part []*Node) {
			part, rest = rest[:n], rest[n:]
			return part
		}
		carried, outs, rows, fixed := take(len(carried)), take(len(outs)), take(len(rows)), take(len(fixed))
		t := done
		if reverse {
			t = Sub(Const(g, int32(steps-1)), done)
		}
		var now []*Node
		for _, x := range rows {
			now = append(now, rowAt(x, t))
		}
		next, made := step(carried, now, fixed)
		var filled []*Node
		for i, y := range outs {
			filled = append(filled, putRow(y, made[i], t))
		}
		return slices.Concat([]*Node{Add(done, Const(g, int32(1)))}, next, filled, rows, fixed)
	})
	end := While(condition, body, all...)[1:]
	return end[:len(carried)], end[len(carried) : len(carried)+len(outs)]
}

// hasLoops reports whether the backend supports loops. Both backends have While, but XLA's list of operations omits it
// (go-xla 0.4.1).
func hasLoops(g *Graph) bool {
	operations := g.Backend().Capabilities().Operations
	return operations[compute.OpTypeDynamicSlice] && operations[compute.OpTypeDynamicUpdateSlice]
}

// scanUnrolled is scan with separate nodes for each step.
func scanUnrolled(steps int, reverse bool, carried, rows, fixed []*Node, outputs int, step func(carried, rows, fixed []*Node) (next, out []*Node)) (last, outs []*Node) {
	made := make([][]*Node, outputs)
	for i := range made {
		made[i] = make([]*Node, steps)
	}
	for i := range steps {
		t := i
		if reverse {
			t = steps - 1 - i
		}
		var now []*Node
		for _, x := range rows {
			now = append(now, Reshape(SliceAxis(x, 0, AxisElem(t)), x.Shape().Dimensions[1:]...))
		}
		var out []*Node
		carried, out = step(carried, now, fixed)
		for j := range made {
			made[j][t] = out[j]
		}
	}
	for _, m := range made {
		outs = append(outs, Stack(m, 0))
	}
	return carried, outs
}

// rowAt returns row t of x [steps, ...], without the first axis.
func rowAt(x, t *Node) *Node {
	dims := x.Shape().Dimensions
	return Reshape(DynamicSlice(x, starts(x, t), append([]int{1}, dims[1:]...)), dims[1:]...)
}

// putRow returns x [steps, ...] with row t replaced by row.
func putRow(x, row, t *Node) *Node {
	row = Reshape(row, append([]int{1}, row.Shape().Dimensions...)...)
	return DynamicUpdateSlice(x, row, starts(x, t))
}

// starts returns the start indices of row t in x.
func starts(x, t *Node) []*Node {
	start := []*Node{t}
	for range x.Rank() - 1 {
		start = append(start, Const(x.Graph(), int32(0)))
	}
	return start
}

// withGradient returns outputs, a function of inputs, with a custom gradient: vjp returns the gradients by inputs from those
// by outputs. All must have the same type. GoMLX supports a custom gradient only for the identity of one node, so all values
// are concatenated into one.
func withGradient(outputs, inputs []*Node, vjp func(v []*Node) []*Node) []*Node {
	var row []*Node
	size := 0
	for _, y := range outputs {
		row = append(row, Reshape(StopGradient(y), -1))
		size += y.Shape().Size()
	}
	for _, x := range inputs {
		row = append(row, Reshape(x, -1))
	}
	unpack := func(row *Node) []*Node {
		parts := make([]*Node, len(outputs))
		from := 0
		for i, y := range outputs {
			to := from + y.Shape().Size()
			parts[i] = Reshape(SliceAxis(row, 0, AxisRange(from, to)), y.Shape().Dimensions...)
			from = to
		}
		return parts
	}
	return unpack(IdentityWithCustomGradient(Concatenate(row, 0), func(row, v *Node) *Node {
		gradient := []*Node{zeros(row, size)}
		for _, x := range vjp(unpack(v)) {
			gradient = append(gradient, Reshape(x, -1))
		}
		return Concatenate(gradient, 0)
	}))
}

// zeros returns zeros in the type of like; it takes no scalar from the cache.
func zeros(like *Node, dims ...int) *Node { return BroadcastToDims(ConstAs(like, 0.0), dims...) }

// maxLast returns the maximum over the last axis, which it keeps, by halving.
func maxLast(x *Node) *Node {
	for n := x.Shape().Dim(-1); n > 1; n = x.Shape().Dim(-1) {
		half := (n + 1) / 2
		x = Max(SliceAxis(x, -1, AxisRange(0, half)), SliceAxis(x, -1, AxisRange(n-half, n)))
	}
	return x
}

// stopped returns the nodes without their gradients.
func stopped(nodes ...*Node) []*Node {
	stop := make([]*Node, len(nodes))
	for i, n := range nodes {
		stop[i] = StopGradient(n)
	}
	return stop
}
