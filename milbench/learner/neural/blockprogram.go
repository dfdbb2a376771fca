package neural

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/members"
)

// blockProgram is the compiled graphs that train several fits of one structure side by side along a members axis: the
// steps of a round on the bags of one bucket a call, or, where rows are taken, one step.
type blockProgram struct {
	*program
	of      blockStructure
	parts   []part
	table   int // the part of which a call takes some rows ([table]); -1 for none
	round   *Exec
	current *Exec
	scoring *Exec
}

// blockStructure is what shapes the graphs of a block.
type blockStructure struct {
	structure
	batch   int
	raw     bool // the features come as they are, not standardised
	weights bool // the weights of scored bags are asked for
	own     bool // the pooling is a user's own
	taken   bool // a step takes the rows of the first weights that its bag uses ([table])
}

// part is an array of the state of a block, [members, ...], that holds one large parameter or all small ones: an update
// of many small arrays costs as many loops.
type part struct {
	dims       []int
	parameters []int // indices in the program's paths
}

// firstWeights is the path of the weights of a network's first layer.
const firstWeights = "/embedding_0/weights"

// largeParameter is the number of entries from which on a parameter has a part of its own.
const largeParameter = 1 << 11

func newBlockProgram(b compute.Backend, s blockStructure) (*blockProgram, error) {
	p, err := newProgram(b, s.structure)
	if err != nil {
		return nil, err
	}
	bp := &blockProgram{program: p, of: s, table: -1}
	var small part
	size := 0
	for i, form := range p.forms {
		rows := s.taken && p.paths[i] == firstWeights
		if rows {
			bp.table = len(bp.parts)
		}
		if rows || form.Size() >= largeParameter {
			bp.parts = append(bp.parts, part{form.Dimensions, []int{i}})
			continue
		}
		small.parameters = append(small.parameters, i)
		size += form.Size()
	}
	if small.parameters != nil {
		small.dims = []int{size}
		bp.parts = append(bp.parts, small)
	}
	if bp.round, err = NewExec(b, bp.roundGraph); err != nil {
		return nil, err
	}
	if bp.current, err = NewExec(b, bp.currentGraph); err != nil {
		return nil, err
	}
	if bp.scoring, err = NewExec(b, bp.scoreBlockGraph); err != nil {
		return nil, err
	}
	bp.round.SetMaxCache(-1)
	bp.scoring.SetMaxCache(-1)
	return bp, nil
}

func (bp *blockProgram) finalize() {
	bp.program.finalize()
	bp.round.Finalize()
	bp.current.Finalize()
	bp.scoring.Finalize()
}

// The state of a block, which the steps change. The parameters lag one update behind: it is taken at the start of the
// next step, so that no array is needed both as it was and as it becomes, and all change in place. Rows that are not taken lag
// behind further ([table]).
const (
	blockTime   = iota // int32 [members]: steps done
	blockDue           // bool [members]: whether the update of the last of them is still to come
	blockLoss          // [members]: the sum of the losses of the epoch's bags
	blockArrays        // parameters, then first, then second moments, part by part
)

// blockState is the state by name.
type blockState struct {
	time, due, loss           *Node
	parameters, first, second []*Node
}

func (bp *blockProgram) state(nodes []*Node) blockState {
	n := len(bp.parts)
	arrays := nodes[blockArrays:]
	return blockState{nodes[blockTime], nodes[blockDue], nodes[blockLoss], arrays[:n], arrays[n : 2*n], arrays[2*n : 3*n]}
}

// What the steps only read follows the state. What stands after the mask is there for sparse bags alone, whose x holds their
// columns.
const (
	blockNumbers   = iota           // [members, numbers]: those of the network, learning rate, weight decay
	blockSeed                       // uint32 [members]
	blockOrder                      // int32 [steps, members, batch]: bags, -1 for none
	blockLabels                     // [steps, members, batch]
	blockCount                      // int32: steps that any member has
	blockX                          // [bags, instances, features], as they are: all members share them
	blockMask                       // bool [bags, instances]
	blockFactor                     // float64 [members, features], of sparse bags [members, bags, columns]: a member takes (x - shift) factor
	blockShift                      // float64 [members, features], of sparse bags [members, 1]: zeros
	blockColumns                    // int32 [bags, columns]: the feature of each, or the number of features
	blockNumbered                   // uint32: the features of the set
	blockPositions                  // int32 [bags, features]: the column of each, or the number of columns
	blockMissed    = blockPositions // instead, where rows are taken: what they have missed, [gapNumbers, members, columns]
)

// roundGraph takes a number of steps and returns the state. Where rows are taken it takes one.
//
// Else it has a single loop, which is handed everything that it uses: on XLA a closure cannot use nodes made outside, and
// GoMLX's cache of scalars would hand those of one closure to another.
func (bp *blockProgram) roundGraph(in []*Node) []*Node {
	g := in[0].Graph()
	changing := blockArrays + 3*len(bp.parts)
	if bp.table >= 0 {
		return bp.stepGraph(Const(g, int32(0)), in[:changing], in[changing:])
	}
	all := append([]*Node{Const(g, int32(0))}, in...)
	closure := func(f func(g *Graph, step *Node, changing, fixed []*Node) []*Node) *Function {
		return NewClosure(g, func(g *Graph) []*Node {
			inside := make([]*Node, len(all))
			for i, s := range all {
				inside[i] = Parameter(g, fmt.Sprintf("state%d", i), s.Shape())
			}
			return f(g, inside[0], inside[1:1+changing], inside[1+changing:])
		})
	}
	condition := closure(func(_ *Graph, step *Node, _, fixed []*Node) []*Node {
		return []*Node{LessThan(step, fixed[blockCount])}
	})
	body := closure(func(g *Graph, step *Node, changing, fixed []*Node) []*Node {
		next := append([]*Node{Add(step, Const(g, int32(1)))}, bp.stepGraph(step, changing, fixed)...)
		return append(next, fixed...)
	})
	return While(condition, body, all...)[1 : 1+changing]
}

// stepGraph is one step of every member on its own batch of a bucket; a member without a batch stays as it is.
func (bp *blockProgram) stepGraph(step *Node, changing, fixed []*Node) []*Node {
	g := step.Graph()
	s := bp.state(changing)
	values := memberNumbers(fixed[blockNumbers])
	network, rates := splitNumbers(values)
	parts := bp.updated(s, rates)
	if bp.table >= 0 {
		parts[bp.table], s.first[bp.table], s.second[bp.table] = bp.madeUp(s, fixed[blockMissed])
	}

	fits, batch := fixed[blockOrder].Shape().Dim(1), fixed[blockOrder].Shape().Dim(2)
	zero := Const(g, int32(0))
	at := func(table *Node) *Node {
		return Reshape(DynamicSlice(table, []*Node{step, zero, zero}, []int{1, fits, batch}), fits, batch)
	}
	order, labels := at(fixed[blockOrder]), at(fixed[blockLabels])
	time := Add(s.time, Const(g, int32(1)))
	bags := bp.bags(fixed[blockX:], order)
	bags.DropoutKey = members.DropoutKey(fixed[blockSeed], time)
	parameters := bp.parameters(parts)
	classified := bp.classify(bp.bind(parameters, network), bags)

	counted := ConvertDType(GreaterOrEqual(order, zero), dtypes.Float32)
	value, differentiated := losses(classified, bp.target, labels)
	total := func(losses *Node) *Node { return ReduceSum(Mul(losses, counted), 1) }
	count := ReduceSum(counted, 1)
	byPath, squares := members.Gradients(ReduceAllSum(Div(total(differentiated), MaxScalar(count, 1))))
	gradients := bp.gather(byPath)
	factor := clip(bp.square(gradients, squares))
	active := GreaterThan(count, Const(g, float32(0)))
	out := append([]*Node{Where(active, time, s.time), active, Add(s.loss, total(value))}, parts...)
	var first, second []*Node
	for i, gradient := range gradients {
		m, v := moments(s.first[i], s.second[i], gradient, factor)
		first = append(first, whereMember(active, m, s.first[i]))
		second = append(second, whereMember(active, v, s.second[i]))
	}
	return append(append(out, first...), second...)
}

// updated returns the parameters with the update that is due, those of which rows are taken as they are.
func (bp *blockProgram) updated(s blockState, r rates) []*Node {
	var parts []*Node
	one := Const(s.time.Graph(), int32(1))
	pace := newPace(Max(s.time, one), r)
	for i, p := range s.parameters {
		if i == bp.table {
			parts = append(parts, p)
			continue
		}
		parts = append(parts, whereMember(s.due, pace.update(p, s.first[i], s.second[i]), p))
	}
	return parts
}

// whereMember returns x for the members that are on [members] and y for the others.
func whereMember(on, x, y *Node) *Node {
	return Where(BroadcastToDims(alongMembers(on, x), x.Shape().Dimensions...), x, y)
}

// parameters returns the program's parameters, [members, ...] each, that parts hold.
func (bp *blockProgram) parameters(parts []*Node) []*Node {
	parameters := make([]*Node, len(bp.paths))
	for k, part := range bp.parts {
		if k == bp.table { // all rows or some
			parameters[part.parameters[0]] = parts[k]
			continue
		}
		if len(part.parameters) == 1 {
			parameters[part.parameters[0]] = Reshape(parts[k], append([]int{parts[k].Shape().Dim(0)}, bp.forms[part.parameters[0]].Dimensions...)...)
			continue
		}
		start := 0
		for _, i := range part.parameters {
			form := bp.forms[i]
			piece := SliceAxis(parts[k], 1, AxisRange(start, start+form.Size()))
			parameters[i] = Reshape(piece, append([]int{piece.Shape().Dim(0)}, form.Dimensions...)...)
			start += form.Size()
		}
	}
	return parameters
}

// gather is the reverse of parameters, of arrays by path.
func (bp *blockProgram) gather(byPath map[string]*Node) []*Node {
	var parts []*Node
	for _, part := range bp.parts {
		if len(part.parameters) == 1 && len(part.dims) > 1 {
			parts = append(parts, byPath[bp.paths[part.parameters[0]]])
			continue
		}
		var pieces []*Node
		for _, i := range part.parameters {
			piece := byPath[bp.paths[i]]
			pieces = append(pieces, Reshape(piece, piece.Shape().Dim(0), -1))
		}
		parts = append(parts, Concatenate(pieces, 1))
	}
	return parts
}

// square returns the square of the norm of all gradients together, [members]: that of a part from squares, by path, if it
// is there. Features as they come may share an offset far beyond their spread, at which those lose their digits.
func (bp *blockProgram) square(gradients []*Node, squares map[string]*Node) *Node {
	var sum *Node
	for k, part := range bp.parts {
		var s *Node
		if len(part.parameters) == 1 && !bp.of.raw {
			s = squares[bp.paths[part.parameters[0]]]
		}
		if s == nil {
			s = members.SumSquares(gradients[k])
		}
		if sum == nil {
			sum = s
		} else {
			sum = Add(sum, s)
		}
	}
	return sum
}

// bags gathers the bags of order [members, batch] from data, the inputs from blockX on.
func (bp *blockProgram) bags(data []*Node, order *Node) members.Sparse {
	x, mask, factor, shift := data[0], data[1], data[blockFactor-blockX], data[blockShift-blockX]
	g, dims := x.Graph(), x.Shape().Dimensions
	members, batch := order.Shape().Dim(0), order.Shape().Dim(1)
	zero := Const(g, int32(0))
	index := Max(order, zero)
	// In float64, as where fits are trained step by step: so both take the same numbers.
	taken := ConvertDType(Gather(x, ExpandAxes(index, -1)), dtypes.Float64)
	if factor.Rank() == 2 {
		taken = Mul(Sub(taken, Reshape(shift, members, 1, 1, -1)), Reshape(factor, members, 1, 1, -1))
	} else { // the factors of the columns of each bag
		first := Mul(Iota(g, order.Shape(), 0), Const(g, int32(dims[0])))
		own := Gather(Reshape(factor, members*dims[0], dims[2]), ExpandAxes(Add(index, first), -1))
		taken = Mul(taken, ExpandAxes(own, -2))
	}
	taken = ConvertDType(taken, x.DType())
	of := func(table *Node) *Node { return Gather(table, ExpandAxes(index, -1)) }
	real := of(mask)
	real = And(real, BroadcastToDims(ExpandAxes(GreaterOrEqual(order, zero), -1), members, batch, dims[1]))
	bags := dense(taken, real)
	if len(data) > blockColumns-blockX {
		bags.Columns, bags.Features = of(data[blockColumns-blockX]), bp.features
	}
	if len(data) > blockPositions-blockX { // in training
		bags.Numbered, bags.Taken = data[blockNumbered-blockX], bp.table >= 0
		if !bags.Taken {
			bags.Positions = of(data[blockPositions-blockX])
		}
	}
	return bags
}

// memberNumbers splits [members, numbers] into one node [members] a number.
func memberNumbers(all *Node) []*Node {
	values := make([]*Node, all.Shape().Dim(1))
	for i := range values {
		values[i] = Reshape(SliceAxis(all, 1, AxisElem(i)), all.Shape().Dim(0))
	}
	return values
}

// currentGraph takes the state, the numbers and, of the part of which steps take rows, what all rows have missed. It returns the
// parameters, part by part, with the update that is due.
func (bp *blockProgram) currentGraph(in []*Node) []*Node {
	rest := in[blockArrays+3*len(bp.parts):]
	s, values := bp.state(in), memberNumbers(rest[0])
	_, rates := splitNumbers(values)
	parts := bp.updated(s, rates)
	if bp.table >= 0 {
		parts[bp.table], _, _ = bp.madeUp(s, rest[1])
	}
	return parts
}

// scoreBlockGraph takes the parameters, part by part, the numbers, order [members, bags] and the inputs from blockX on,
// up to the columns, and returns logits [members, bags], or [members, bags, outputs], winners int32 [members, bags, heads] and, where they are asked for,
// the means of the weights over the heads, [members, bags, instances].
func (bp *blockProgram) scoreBlockGraph(in []*Node) []*Node {
	parts, in := in[:len(bp.parts)], in[len(bp.parts):]
	values := memberNumbers(in[0])
	bags := bp.bags(in[2:], in[1])
	network, _ := splitNumbers(values)
	c := bp.classify(bp.bind(bp.parameters(parts), network), bags)
	logits, weights := c.Logits, c.Weights
	real := BroadcastToDims(ExpandAxes(bags.Mask, -2), weights.Shape().Dimensions...)
	chosen := Where(real, weights, Infinity(weights.Graph(), weights.DType(), -1)) // padding is no winner, whatever the signs
	out := []*Node{logits, ArgMax(chosen, -1)}
	if bp.of.weights {
		out = append(out, ReduceMean(weights, 2))
	}
	return out
}
