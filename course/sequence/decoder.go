package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// decoder is a recurrent cell that attends to a memory before each step (Bahdanau et al. 2015, sections 3.1 and A.1.2). With
// s the cell's h before the step and H the memory's states:
//
//	e_j = v · tanh(K_j + s W_q),  K = H W_k + b_k,  α = softmax over j of e,  c = Σ α_j H_j,  s' = cell(s, [y, c])
//
// α is adjusted before c is computed. The recurrence is a [scan].
type decoder struct {
	cell    Cell
	hidden  int
	adjust  Adjustment
	weights cellWeights // input: weights of y only
	context *Node       // [states' features, gates·hidden], the input weights of c
	query   *Node       // W_q [hidden, alignment]
	score   *Node       // v [alignment]
	memory  Memory
	unroll  bool
}

// align returns the weights before and after the adjustment, and the context c.
func (d decoder) align(q, score, keys, states, mask *Node) (plain, adjusted, c *Node) {
	batch, length, width := keys.Shape().Dim(0), keys.Shape().Dim(1), keys.Shape().Dim(2)
	hidden := Tanh(Add(keys, Reshape(q, batch, 1, width)))
	e := Reshape(MatMul(Reshape(hidden, -1, width), Reshape(score, width, 1)), batch, length)
	// The softmax of weigh, for a scan: the largest real exponential is 1, so their sum is at least 1.
	low := BroadcastToDims(ConstAs(e, -1e30), batch, length)
	e = Where(mask, e, low)
	p := Where(mask, Exp(Sub(e, maxLast(e))), zeros(e, batch, length))
	plain = Div(p, Max(batched.SumLast(p), ConstAs(p, 1.0)))
	adjusted = d.adjust.adjustInLoop(plain)
	return plain, adjusted, gather(adjusted, states)
}

// run reads y [steps, batch, features], starting from the state initial. It returns the states h after each step [steps,
// batch, hidden], the contexts c [steps, batch, features], the alignments [steps, batch, length] and the last state.
func (d decoder) run(y *Node, initial []*Node) (states, contexts, alignments *Node, last []*Node) {
	steps, batch := y.Shape().Dim(0), y.Shape().Dim(1)
	width := d.cell.gates() * d.hidden
	in := gatesOf(y, d.weights.input, d.weights.bias)
	length, features, align := d.memory.States.Shape().Dim(1), d.memory.States.Shape().Dim(2), d.query.Shape().Dim(1)
	inputs := append([]*Node{in, d.weights.recurrent, d.weights.recurrentBias, d.context, d.query, d.score, d.memory.Keys, d.memory.States}, initial...)

	const recurrent, bias, context, query, score, keys, memory, mask = 0, 1, 2, 3, 4, 5, 6, 7 // of fixed
	fixed := stopped(append(inputs[1:8:8], d.memory.Mask)...)
	fixed[bias] = Reshape(fixed[bias], 1, width)
	dims := [][]int{{batch, d.hidden}, {batch, features}, {batch, length}, {batch, length}, {batch, align}, {batch, saved * d.hidden}}
	last, outs := scan(steps, false, d.unroll, stopped(initial...), stopped(in), fixed, dims, func(state, rows, fixed []*Node) (next, out []*Node) {
		q := MatMul(state[0], fixed[query])
		plain, adjusted, c := d.align(q, fixed[score], fixed[keys], fixed[memory], fixed[mask])
		next, kept := d.cell.forward(state, Add(rows[0], MatMul(c, fixed[context])), Add(MatMul(state[0], fixed[recurrent]), fixed[bias]))
		return next, []*Node{next[0], c, adjusted, plain, q, kept}
	})
	made := withGradient(append(outs[:3:3], last...), inputs, func(v []*Node) []*Node {
		back := append([]*Node{}, fixed...)
		for _, i := range []int{recurrent, context, query} {
			back[i] = Transpose(back[i], 0, 1)
		}
		carried := append([]*Node{zeros(in, batch, length, align), zeros(in, align)}, v[3:]...)
		dims := [][]int{{batch, width}, {batch, width}, {batch, features}, {batch, align}}
		end, by := scan(steps, true, d.unroll, carried, append(v[:3:3], outs[3:]...), back, dims, func(state, rows, fixed []*Node) (next, out []*Node) {
			byKeys, byScore, byState := state[0], state[1], append([]*Node{}, state[2:]...)
			byContext, byWeights, plain, q, kept := rows[1], rows[2], rows[3], rows[4], rows[5]
			byState[0] = Add(byState[0], rows[0])
			before, x, u := d.cell.backward(kept, byState)
			byContext = Add(byContext, MatMul(x, fixed[context]))
			// The adjustment is straight-through: the gradient by the weights before it equals that by the weights after it.
			byWeights = Add(byWeights, Reshape(MatMul(fixed[memory], Reshape(byContext, batch, features, 1)), batch, length))
			e := Mul(plain, Sub(byWeights, batched.SumLast(Mul(plain, byWeights))))
			hidden := Tanh(Add(fixed[keys], Reshape(q, batch, 1, align)))
			column := Reshape(e, batch, length, 1)
			byHidden := Mul(Mul(column, Reshape(fixed[score], 1, 1, align)), Sub(ConstAs(e, 1.0), Mul(hidden, hidden)))
			byQuery := Reshape(batched.SumLast(Transpose(byHidden, 1, 2)), batch, align)
			byScore = Add(byScore, Reshape(MatMul(Reshape(e, 1, -1), Reshape(hidden, -1, align)), align))
			before[0] = Add(before[0], Add(MatMul(u, fixed[recurrent]), MatMul(byQuery, fixed[query])))
			return append([]*Node{Add(byKeys, byHidden), byScore}, before...), []*Node{x, u, byContext, byQuery}
		})
		x, u, byContext, byQuery := by[0], by[1], by[2], by[3]
		before := Concatenate([]*Node{ExpandAxes(initial[0], 0), SliceAxis(outs[0], 0, AxisRange(0, steps-1))}, 0)
		product := func(a, b *Node) *Node { return Einsum("tba,tbw->aw", a, b) }
		gradients := []*Node{x, product(before, u), ReduceSum(u, 0, 1), product(outs[1], x), product(before, byQuery), end[1], end[0], Einsum("tbs,tbf->bsf", outs[2], byContext)}
		return append(gradients, end[2:]...)
	})
	return made[0], made[1], made[2], made[3:]
}
