package neural

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// blockProgram holds the compiled graphs that train several fits of one structure side by side along a members axis.
// One call takes all steps of a round on the bags of a bucket or one step.
type blockProgram struct {
	*program
	of      blockStructure
	parts   []part
	table   int // index of the part whose rows are taken by a call ([table]); -1 if there is none
	round   *Exec
	current *Exec
	scoring *Exec
}

// blockStructure holds everything that shapes the graphs of a block.
type blockStructure struct {
	structure
	batch   int
	raw     bool // features are not standardised
	weights bool // weights of scored bags are wanted
	winners bool // weights of each head are wanted, before Syn steps
	own     bool // the pooling is a user's own
	taken   bool // a step takes only the rows of the first weights that its bag uses ([table])
	single  bool // a call takes one step
}

// part is an array of a block's state, [members, ...]. It holds one large parameter or all small ones, because updating
// many small arrays takes many loops.
type part struct {
	dims       []int
	parameters []int // indices in the program's paths
}

// firstWeights is the path of the weights of the network's first layer.
const firstWeights = "/embedding_0/weights"

// largeParameter is the minimum number of entries of a parameter that has a part of its own.
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

// The state of a block, which the steps change. The parameters lag one update behind: a step starts with the update of
// the previous step. So no array is needed in its old and new form at once, and all change in place. Rows that are not
// taken lag further behind ([table]).
const (
	blockTime   = iota // int32 [members]: number of finished steps
	blockDue           // bool [members]: whether the update of the last step is still due
	blockLoss          // [members]: sum of the losses of the epoch's bags
	blockArrays        // parameters, then first and second moments, part by part
)

// blockState gives names to the arrays of the state.
type blockState struct {
	time, due, loss           *Node
	parameters, first, second []*Node
}

func (bp *blockProgram) state(nodes []*Node) blockState {
	n := len(bp.parts)
	arrays := nodes[blockArrays:]
	return blockState{nodes[blockTime], nodes[blockDue], nodes[blockLoss], arrays[:n], arrays[n : 2*n], arrays[2*n : 3*n]}
}

// Inputs that the steps only read; they follow the state. Those after the mask exist only for sparse bags, whose x
// holds their columns.
const (
	blockNumbers   = iota           // [members, numbers]: numbers of the network, learning rate, weight decay
	blockSeed                       // uint32 [members]
	blockOrder                      // int32 [steps, members, batch]: bags, -1 for none
	blockLabels                     // [steps, members, batch]
	blockCount                      // int32: largest number of steps of a member
	blockX                          // [bags, instances, features], not standardised: all members share them
	blockMask                       // bool [bags, instances]
	blockFactor                     // float64 [members, features], for sparse bags [members, bags, columns] or, streamed, [1, bags, columns]: a member uses (x - shift) factor
	blockShift                      // float64 [members, features], for sparse bags [members, 1]: zeros
	blockColumns                    // int32 [bags, columns]: feature of each column, or the number of features
	blockNumbered                   // uint32: number of features of the set
	blockPositions                  // int32 [bags, features]: column of each feature, or the number of columns
	blockMissed    = blockPositions // used instead if steps take rows: what the rows have missed, [gapNumbers, members, columns]
)

// roundGraph takes a number of steps, or one if a call takes one, and returns the state.
//
// Otherwise it has one loop, which receives everything that it uses: on XLA, a closure cannot use nodes from outside,
// and GoMLX's cache of scalars would pass those of one closure to another.
func (bp *blockProgram) roundGraph(in []*Node) []*Node {
	g := in[0].Graph()
	changing := blockArrays + 3*len(bp.parts)
	if bp.of.single {
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

// stepGraph is one step of every member on its own batch of a bucket. A member without a batch does not change.
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
		if bp.of.single {
			return Reshape(table, fits, batch)
		}
		return Reshape(DynamicSlice(table, []*Node{step, zero, zero}, []int{1, fits, batch}), fits, batch)
	}
	order, labels := at(fixed[blockOrder]), at(fixed[blockLabels])
	time := Add(s.time, Const(g, int32(1)))
	bags := bp.bags(fixed[blockX:], order)
	bags.DropoutKey = batched.DropoutKey(fixed[blockSeed], time)
	parameters := bp.parameters(parts)
	classified := bp.classify(bp.bind(parameters, network), bags)

	counted := ConvertDType(GreaterOrEqual(order, zero), dtypes.Float32)
	value, differentiated := losses(classified, bp.target, labels)
	total := func(losses *Node) *Node { return ReduceSum(Mul(losses, counted), 1) }
	count := ReduceSum(counted, 1)
	byPath, squares := batched.Gradients(ReduceAllSum(Div(total(differentiated), MaxScalar(count, 1))))
	gradients := bp.gather(byPath)
	factor := clip(bp.square(gradients, squares))
	active := GreaterThan(count, Const(g, float32(0)))
	out := append([]*Node{Where(active, time, s.time), active, Add(s.loss, total(value))}, parts...)
	var first, second []*Node
	for i, gradient := range gradients {
		m, v := moments(s.first[i], s.second[i], gradient, factor, active)
		first, second = append(first, m), append(second, v)
	}
	return append(append(out, first...), second...)
}

// updated returns the parameters after the update that is due. The part whose rows are taken is returned unchanged.
func (bp *blockProgram) updated(s blockState, r rates) []*Node {
	var parts []*Node
	one := Const(s.time.Graph(), int32(1))
	pace := newPace(Max(s.time, one), r).due(s.due)
	for i, p := range s.parameters {
		if i == bp.table {
			parts = append(parts, p)
			continue
		}
		parts = append(parts, pace.update(p, s.first[i], s.second[i]))
	}
	return parts
}

// parameters returns the program's parameters, each [members, ...], from the parts that hold them.
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

// gather does the reverse of parameters: it returns the parts of arrays by path.
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

// square returns the squared norm of all gradients together, [members]. If squares has the squared norm for a path, it
// is used: features that are not standardised may share an offset far larger than their spread, and their gradients
// then lose digits.
func (bp *blockProgram) square(gradients []*Node, squares map[string]*Node) *Node {
	var sum *Node
	for k, part := range bp.parts {
		var s *Node
		if len(part.parameters) == 1 && !bp.of.raw {
			s = squares[bp.paths[part.parameters[0]]]
		}
		if s == nil {
			s = batched.SumSquares(gradients[k])
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
func (bp *blockProgram) bags(data []*Node, order *Node) batched.Sparse {
	x, mask, factor, shift := data[0], data[1], data[blockFactor-blockX], data[blockShift-blockX]
	g, dims := x.Graph(), x.Shape().Dimensions
	members, batch := order.Shape().Dim(0), order.Shape().Dim(1)
	zero := Const(g, int32(0))
	index := Max(order, zero)
	// In float64, as in scoring ([Standardisation.fill]), so that both use the same numbers.
	taken := ConvertDType(Gather(x, ExpandAxes(index, -1)), dtypes.Float64)
	if factor.Rank() == 2 {
		taken = Mul(Sub(taken, Reshape(shift, members, 1, 1, -1)), Reshape(factor, members, 1, 1, -1))
	} else { // factors of the columns of each bag
		own := index
		if sets := factor.Shape().Dim(0); sets > 1 { // each member has its own
			own = Add(own, Mul(Iota(g, order.Shape(), 0), Const(g, int32(dims[0]))))
		}
		factors := Gather(Reshape(factor, -1, dims[2]), ExpandAxes(own, -1))
		taken = Mul(taken, ExpandAxes(factors, -2))
	}
	taken = ConvertDType(taken, x.DType())
	of := func(table *Node) *Node { return Gather(table, ExpandAxes(index, -1)) }
	real := of(mask)
	real = And(real, BroadcastToDims(ExpandAxes(GreaterOrEqual(order, zero), -1), members, batch, dims[1]))
	bags := dense(taken, real)
	if len(data) > blockColumns-blockX {
		bags.Columns, bags.Features = of(data[blockColumns-blockX]), bp.features
	}
	if len(data) > blockPositions-blockX { // during training
		bags.Numbered, bags.Taken = data[blockNumbered-blockX], bp.table >= 0
		if !bags.Taken {
			bags.Positions = of(data[blockPositions-blockX])
		}
	}
	return bags
}

// mostPlain bounds the steps of plainSteps with γ = 1, where the network itself takes any number.
const mostPlain = 32

// plainSteps returns the weights after the Syn steps of the network's pooling, taken one by one as [synlayer.Syn] does.
func (bp *blockProgram) plainSteps(attention *Node, network []*Node) *Node {
	p, ok := bp.network.Pooling.(synlayer.SynPooling)
	if !ok {
		return attention
	}
	_, order := apart(bp.network, true)
	gamma, iterations, bound := ConstAs(attention, p.Gamma), network[0], bp.steps
	for i, h := range order {
		switch h.Path {
		case "/pooling/gamma":
			gamma = network[i]
		case "/pooling/iterations":
			iterations = network[i]
		}
	}
	if p.Gamma == 1 {
		bound = mostPlain
	}
	return batched.SynUpTo(attention, gamma, iterations, bound)
}

// memberNumbers splits [members, numbers] into one node [members] per number.
func memberNumbers(all *Node) []*Node {
	values := make([]*Node, all.Shape().Dim(1))
	for i := range values {
		values[i] = Reshape(SliceAxis(all, 1, AxisElem(i)), all.Shape().Dim(0))
	}
	return values
}

// currentGraph returns the parameters after the update that is due, part by part. It takes the state, the numbers and,
// if steps take rows, what all rows of that part have missed.
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

// scoreBlockGraph takes the parameters, part by part, the numbers, order [members, bags], and the inputs from blockX up
// to the columns. It returns logits [members, bags] or [members, bags, outputs] and winners int32 [members, bags,
// heads], before Syn steps. If weights are wanted, it also returns their means over the heads, [members, bags, instances], and
// for winners those of each head before Syn steps, [members, bags, heads, instances], and after steps one by one ([plainSteps]).
func (bp *blockProgram) scoreBlockGraph(in []*Node) []*Node {
	parts, in := in[:len(bp.parts)], in[len(bp.parts):]
	values := memberNumbers(in[0])
	bags := bp.bags(in[2:], in[1])
	network, _ := splitNumbers(values)
	c := bp.classify(bp.bind(bp.parameters(parts), network), bags)
	attention := ordered(c)
	real := BroadcastToDims(ExpandAxes(bags.Mask, -2), attention.Shape().Dimensions...)
	chosen := Where(real, attention, Infinity(attention.Graph(), attention.DType(), -1)) // padding never wins, whatever the sign of the weights
	out := []*Node{c.Logits, ArgMax(chosen, -1)}
	if bp.of.weights {
		out = append(out, ReduceMean(c.Weights, 2))
	}
	if bp.of.winners {
		out = append(out, attention, bp.plainSteps(attention, network))
	}
	return out
}
