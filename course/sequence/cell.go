package sequence

import . "github.com/gomlx/gomlx/core/graph"

// Cell is a kind of recurrent cell.
type Cell int

const (
	// LSTM is the long short-term memory of Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000:
	//
	//	i, f, o = σ(W x + U h + b),  g = tanh(W x + U h + b),  c' = f c + i g,  h' = o tanh(c')
	//
	// Its gates are in PyTorch's order i, f, g, o.
	LSTM Cell = iota
	// GRU is the gated recurrent unit of Cho et al. 2014, with the reset gate applied after the matrix product, as in
	// PyTorch and cuDNN:
	//
	//	r, z = σ(W x + U h + b),  n = tanh(W x + b + r (U h + b')),  h' = (1−z) n + z h
	//
	// Its gates are in PyTorch's order r, z, n.
	GRU
)

func (c Cell) String() string {
	switch c {
	case LSTM:
		return "LSTM"
	case GRU:
		return "GRU"
	}
	return "unknown cell"
}

// gates returns the number of blocks of the weights.
func (c Cell) gates() int {
	if c == GRU {
		return 3
	}
	return 4
}

// states returns the number of carried values.
func (c Cell) states() int {
	if c == GRU {
		return 1
	}
	return 2
}

// saved is the number of blocks that forward saves.
const saved = 5

// forward computes one step from the state before it [batch, hidden] (h, and c for an LSTM) and the gates: x [batch,
// gates·hidden] is the part of the input, u [batch, gates·hidden] that of the state. It returns the next state and what
// backward needs, one array [batch, saved·hidden].
func (c Cell) forward(state []*Node, x, u *Node) (next []*Node, kept *Node) {
	xs, us := Split(x, -1, c.gates()), Split(u, -1, c.gates())
	sum := func(i int) *Node { return Add(xs[i], us[i]) }
	if c == GRU {
		h := state[0]
		r, z := Sigmoid(sum(0)), Sigmoid(sum(1))
		n := Tanh(Add(xs[2], Mul(r, us[2])))
		return []*Node{Add(n, Mul(z, Sub(h, n)))}, Concatenate([]*Node{r, z, n, us[2], h}, -1)
	}
	i, f, g, o := Sigmoid(sum(0)), Sigmoid(sum(1)), Tanh(sum(2)), Sigmoid(sum(3))
	before := state[1]
	cell := Add(Mul(f, before), Mul(i, g))
	return []*Node{Mul(o, Tanh(cell)), cell}, Concatenate([]*Node{i, f, g, o, before}, -1)
}

// backward returns the gradient of forward with respect to the state before (without the part through u), x and u.
func (c Cell) backward(kept *Node, by []*Node) (before []*Node, x, u *Node) {
	one := ConstAs(kept, 1.0)
	s := Split(kept, -1, saved)
	sigmoid := func(y, by *Node) *Node { return Mul(by, Mul(y, Sub(one, y))) }
	tanh := func(y, by *Node) *Node { return Mul(by, Sub(one, Mul(y, y))) }
	if c == GRU {
		r, z, n, q, h := s[0], s[1], s[2], s[3], s[4]
		byN := tanh(n, Mul(by[0], Sub(one, z)))
		byR, byZ := sigmoid(r, Mul(byN, q)), sigmoid(z, Mul(by[0], Sub(h, n)))
		return []*Node{Mul(by[0], z)}, Concatenate([]*Node{byR, byZ, byN}, -1), Concatenate([]*Node{byR, byZ, Mul(byN, r)}, -1)
	}
	i, f, g, o, c0 := s[0], s[1], s[2], s[3], s[4]
	squashed := Tanh(Add(Mul(f, c0), Mul(i, g)))
	byCell := Add(by[1], tanh(squashed, Mul(by[0], o)))
	x = Concatenate([]*Node{sigmoid(i, Mul(byCell, g)), sigmoid(f, Mul(byCell, c0)), tanh(g, Mul(byCell, i)), sigmoid(o, Mul(by[0], squashed))}, -1)
	return []*Node{zeros(f, f.Shape().Dimensions...), Mul(byCell, f)}, x, x
}
