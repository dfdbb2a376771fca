package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
)

// decoder is a recurrent cell that attends to a memory before each step (Bahdanau et al. 2015, sections 3.1 and A.1.2). With
// s the cell's h before the step, H the memory's states and K its keys:
//
//	e_j = v · tanh(K_j + s W_q) or s · K_j,  α = softmax over j of e,  c = Σ α_j H_j,  s' = cell(s, [y, c])
//
// α is adjusted before c is computed. The recurrence is a [scan].
type decoder struct {
	cell    Cell
	hidden  int
	adjust  Adjustment
	weights cellWeights // input: weights of y only
	context *Node       // [states' features, gates·hidden], the input weights of c
	hiding  []*Node     // W_q [hidden, alignment] and v [alignment] of the hidden layer; none for s · K_j
	memory  Memory
	unroll  bool
}

// scores returns e [batch, length] for q = s W_q [batch, alignment] and v, or for q = s without v.
func scores(q, keys *Node, v ...*Node) *Node {
	batch, length, width := keys.Shape().Dim(0), keys.Shape().Dim(1), keys.Shape().Dim(2)
	if len(v) == 0 {
		return Reshape(MatMul(keys, Reshape(q, batch, width, 1)), batch, length)
	}
	hidden := Tanh(Add(keys, Reshape(q, batch, 1, width)))
	return Reshape(MatMul(Reshape(hidden, -1, width), Reshape(v[0], width, 1)), batch, length)
}

// scoresGradient returns the gradients of scores by q, and by the keys and v, from those by e.
func scoresGradient(e, q, keys *Node, v ...*Node) (byQuery *Node, byRest []*Node) {
	batch, length, width := keys.Shape().Dim(0), keys.Shape().Dim(1), keys.Shape().Dim(2)
	column, row := Reshape(e, batch, length, 1), Reshape(q, batch, 1, width)
	if len(v) == 0 {
		return gather(e, keys), []*Node{Mul(column, row)}
	}
	hidden := Tanh(Add(keys, row))
	byKeys := Mul(Mul(column, Reshape(v[0], 1, 1, width)), Sub(ConstAs(e, 1.0), Mul(hidden, hidden)))
	byQuery = Reshape(batched.SumLast(Transpose(byKeys, 1, 2)), batch, width)
	return byQuery, []*Node{byKeys, Reshape(MatMul(Reshape(e, 1, -1), Reshape(hidden, -1, width)), width)}
}

// align returns the weights before and after the adjustment, and the context c.
func (d decoder) align(e, states, mask *Node) (plain, adjusted, c *Node) {
	// The softmax of weigh, for a scan: the largest real exponential is 1, so their sum is at least 1.
	batch, length := e.Shape().Dim(0), e.Shape().Dim(1)
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
	length, features, align := d.memory.States.Shape().Dim(1), d.memory.States.Shape().Dim(2), d.memory.Keys.Shape().Dim(2)
	read := append([]*Node{d.weights.recurrent, d.weights.recurrentBias, d.context, d.memory.Keys, d.memory.States}, d.hiding...)
	inputs := append(append([]*Node{in}, read...), initial...)

	const recurrent, bias, context, keys, memory, query, score = 0, 1, 2, 3, 4, 5, 6 // of fixed; the mask is the last
	hides := len(d.hiding) > 0
	v := func(fixed []*Node) []*Node { return fixed[min(score, len(fixed)-1) : len(fixed)-1] }
	fixed := append(stopped(read...), StopGradient(d.memory.Mask))
	fixed[bias] = Reshape(fixed[bias], 1, width)
	dims := [][]int{{batch, d.hidden}, {batch, features}, {batch, length}, {batch, length}, {batch, align}, {batch, saved * d.hidden}}
	last, outs := scan(steps, false, d.unroll, stopped(initial...), stopped(in), fixed, dims, func(state, rows, fixed []*Node) (next, out []*Node) {
		q := state[0]
		if hides {
			q = MatMul(q, fixed[query])
		}
		plain, adjusted, c := d.align(scores(q, fixed[keys], v(fixed)...), fixed[memory], fixed[len(fixed)-1])
		next, kept := d.cell.forward(state, Add(rows[0], MatMul(c, fixed[context])), Add(MatMul(state[0], fixed[recurrent]), fixed[bias]))
		return next, []*Node{next[0], c, adjusted, plain, q, kept}
	})
	made := withGradient(append(outs[:3:3], last...), inputs, func(by []*Node) []*Node {
		back := append([]*Node{}, fixed...)
		sums := []*Node{zeros(in, batch, length, align)} // gradients by the keys and v
		turned := []int{recurrent, context}
		if hides {
			sums, turned = append(sums, zeros(in, align)), append(turned, query)
		}
		for _, i := range turned {
			back[i] = Transpose(back[i], 0, 1)
		}
		dims := [][]int{{batch, width}, {batch, width}, {batch, features}, {batch, align}}
		end, rows := scan(steps, true, d.unroll, append(sums, by[3:]...), append(by[:3:3], outs[3:]...), back, dims, func(state, rows, fixed []*Node) (next, out []*Node) {
			n := len(state) - len(initial)
			bySums, byState := append([]*Node{}, state[:n]...), append([]*Node{}, state[n:]...)
			byContext, byWeights, plain, q, kept := rows[1], rows[2], rows[3], rows[4], rows[5]
			byState[0] = Add(byState[0], rows[0])
			before, x, u := d.cell.backward(kept, byState)
			byContext = Add(byContext, MatMul(x, fixed[context]))
			// The adjustment is straight-through: the gradient by the weights before it equals that by the weights after it.
			byWeights = Add(byWeights, Reshape(MatMul(fixed[memory], Reshape(byContext, batch, features, 1)), batch, length))
			e := Mul(plain, Sub(byWeights, batched.SumLast(Mul(plain, byWeights))))
			byQuery, more := scoresGradient(e, q, fixed[keys], v(fixed)...)
			for i, m := range more {
				bySums[i] = Add(bySums[i], m)
			}
			byHidden := byQuery
			if hides {
				byHidden = MatMul(byQuery, fixed[query])
			}
			before[0] = Add(before[0], Add(MatMul(u, fixed[recurrent]), byHidden))
			return append(bySums, before...), []*Node{x, u, byContext, byQuery}
		})
		x, u, byContext, byQuery := rows[0], rows[1], rows[2], rows[3]
		before := Concatenate([]*Node{ExpandAxes(initial[0], 0), SliceAxis(outs[0], 0, AxisRange(0, steps-1))}, 0)
		product := func(a, b *Node) *Node { return Einsum("tba,tbw->aw", a, b) }
		gradients := []*Node{x, product(before, u), ReduceSum(u, 0, 1), product(outs[1], x), end[0], Einsum("tbs,tbf->bsf", outs[2], byContext)}
		if hides {
			gradients = append(gradients, product(before, byQuery), end[1])
		}
		return append(gradients, end[len(sums):]...)
	})
	return made[0], made[1], made[2], made[3:]
}
