package neural

import (
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// largeGraphs are the graphs of a network that processes large bags in chunks of their rows. z are the standardised
// instances after dropout, W the weights of the first layer, and θ all other parameters:
//
//	project   y = z W               of a chunk
//	bag       the loss, ∂/∂y, ∂/∂θ  of a bag's y
//	back      ∂/∂W += zᵀ ∂/∂y       of a chunk, whose z is made again
//	update    AdamW
//
// Only y has as many rows as a bag. One graph for a chunk serves bags of any size. The graphs for a bag are compiled
// for each number of rows that [paddedRows] gives. A network without layers has no such graphs.
//
// On a device other than a CPU, where a bag is one array ([resident]), "whole" does the first three for it.
type largeGraphs struct {
	project, bag, back, update *Exec // for training
	see, score, pool           *Exec // for scoring: y of a chunk; from a bag's y, the results of scoreGraph and poolGraph

	whole, wholeScore, wholePool *Exec

	weights int // index of the parameter W
	from    int // its first position in the flat parameters
}

func (p *program) newLargeGraphs(b compute.Backend) (err error) {
	p.large.weights = slices.Index(p.paths, firstWeights)
	for _, form := range p.forms[:p.large.weights] {
		p.large.from += form.Size()
	}
	for _, of := range []struct {
		exec  **Exec
		graph func(in []*Node) []*Node
	}{
		{&p.large.project, p.projectGraph}, {&p.large.bag, p.bagGraph}, {&p.large.back, p.backGraph}, {&p.large.update, p.updateGraph},
		{&p.large.see, p.seeGraph}, {&p.large.score, p.scoreLargeGraph}, {&p.large.pool, p.poolLargeGraph},
		{&p.large.whole, p.wholeGraph}, {&p.large.wholeScore, p.whole(p.scoreLargeGraph)}, {&p.large.wholePool, p.whole(p.poolLargeGraph)},
	} {
		if *of.exec, err = NewExec(b, of.graph); err != nil {
			return err
		}
		(*of.exec).SetMaxCache(-1)
	}
	return nil
}

func (g *largeGraphs) finalize() {
	for _, exec := range []*Exec{g.project, g.bag, g.back, g.update, g.see, g.score, g.pool, g.whole, g.wholeScore, g.wholePool} {
		if exec != nil {
			exec.Finalize()
		}
	}
}

// instances returns a chunk of values [rows, features] as a standardised bag. scaling [3, features] holds the shift,
// what float32 loses of it, and the factors.
func (p *program) instances(x, scaling *Node) batched.Bags {
	of := func(k int) *Node { return SliceAxis(scaling, 0, AxisElem(k)) }
	z := Mul(Sub(Sub(x, of(0)), of(1)), of(2))
	return batched.Bags{X: Reshape(z, 1, x.Shape().Dim(0), p.features)}
}

// products returns y of a bag, [rows, width], as Bags. The first count rows belong to its instances.
func (p *program) products(y, count *Node) batched.Bags {
	rows, width := y.Shape().Dim(0), y.Shape().Dim(1)
	mask := LessThan(Iota(y.Graph(), shapes.Make(dtypes.Int32, 1, rows), 1), count)
	return batched.Bags{X: Reshape(y, 1, rows, width), Mask: mask}
}

// classified returns the output of the network for the products of a bag.
func (p *program) classified(scope *model.Scope, products batched.Bags) synlayer.Classification {
	return synlayer.Classify(scope, p.network.Pooling, synlayer.Bags(batched.Projected(scope, products, p.network.Layers)), max(p.network.Outputs, 1))
}

// keyed gives bags the key of a step's dropout. at, uint32 [2], holds the number of the bag in its batch and the first
// row.
func keyed(bags batched.Bags, seed, step, at *Node) batched.Bags {
	place := numbers(at)
	batched.DropoutFrom(place[0], place[1])
	bags.DropoutKey = batched.DropoutKey(seed, step)
	return bags
}

// dropped returns z and y of a chunk during training.
func (p *program) dropped(parameters, values, seed, step, at, x, scaling *Node) (z, y *Node) {
	network, _ := splitNumbers(numbers(values))
	scope := p.bind(p.split(parameters), network)
	return batched.Project(scope, keyed(p.instances(x, scaling), seed, step, at), p.network.Width, p.network.Dropout)
}

// projectGraph takes the parameters, the numbers of training, the seed, the step and the place of a chunk, its values
// and the scaling.
func (p *program) projectGraph(in []*Node) []*Node {
	_, y := p.dropped(in[0], in[1], in[2], in[3], in[4], in[5], in[6])
	return []*Node{Reshape(y, -1, p.network.Width)}
}

// backGraph takes the inputs of projectGraph, the gradient with respect to y, and the sum of ∂/∂W so far. It adds the
// chunk's ∂/∂W to the sum.
func (p *program) backGraph(in []*Node) []*Node {
	z, _ := p.dropped(in[0], in[1], in[2], in[3], in[4], in[5], in[6])
	return []*Node{Add(in[8], Einsum("rf,rw->fw", Reshape(z, -1, p.features), in[7]))}
}

// bagGraph takes parameters, numbers, seed, step and place, like projectGraph. Then follow y, the number of instances,
// the label, the share of the bag in the loss of its batch, the sum of the losses of the epoch's bags, and the sum of
// ∂/∂θ. It adds the bag to both sums, and returns them with ∂/∂y.
func (p *program) bagGraph(in []*Node) []*Node {
	parameters, y, label, share, sum, gradients := p.split(in[0]), in[5], in[7], in[8], in[9], in[10]
	network, _ := splitNumbers(numbers(in[1]))
	scope := p.bind(parameters, network)
	value, differentiated := losses(p.classified(scope, keyed(p.products(y, in[6]), in[2], in[3], in[4])), p.target, label)
	by := Gradient(Mul(ReduceAllSum(differentiated), share), append(p.others(parameters), y)...)
	last := len(by) - 1
	for i, g := range by[:last] {
		by[i] = Reshape(g, -1)
	}
	return []*Node{Add(sum, ReduceAllSum(value)), Add(gradients, Concatenate(by[:last], 0)), by[last]}
}

// wholeGraph takes the inputs of projectGraph for a whole bag, those of bagGraph after y, and the sum of ∂/∂W. It adds the
// bag to the three sums.
func (p *program) wholeGraph(in []*Node) []*Node {
	z, y := p.dropped(in[0], in[1], in[2], in[3], in[4], in[5], in[6])
	y = Reshape(y, -1, p.network.Width)
	of := p.bagGraph(slices.Concat(in[:5], []*Node{y}, in[7:12]))
	return []*Node{of[0], of[1], Add(in[12], Einsum("rf,rw->fw", Reshape(z, -1, p.features), of[2]))}
}

// others returns the parameters except W.
func (p *program) others(parameters []*Node) []*Node {
	return slices.Concat(parameters[:p.large.weights], parameters[p.large.weights+1:])
}

// updateGraph takes the parameters, first and second moments, numbers, step, ∂/∂W and ∂/∂θ. It returns the first three
// after the step.
func (p *program) updateGraph(in []*Node) []*Node {
	_, rates := splitNumbers(numbers(in[3]))
	others, pieces := in[6], []*Node{Reshape(in[5], -1)}
	if p.large.from > 0 {
		pieces = append([]*Node{SliceAxis(others, 0, AxisRange(0, p.large.from))}, pieces...)
	}
	if p.large.from < others.Shape().Size() {
		pieces = append(pieces, SliceAxis(others, 0, AxisRangeToEnd(p.large.from)))
	}
	gradient := Concatenate(pieces, 0)
	first, second := moments(in[1], in[2], gradient, clip(ReduceAllSum(Square(gradient))), nil)
	return []*Node{newPace(in[4], rates).update(in[0], first, second), first, second}
}

// seeGraph takes the parameters, the network's numbers, the values of a chunk and the scaling. It returns y of the
// chunk.
func (p *program) seeGraph(in []*Node) []*Node {
	scope := p.bind(p.split(in[0]), numbers(in[1]))
	_, y := batched.Project(scope, p.instances(in[2], in[3]), p.network.Width, p.network.Dropout)
	return []*Node{Reshape(y, -1, p.network.Width)}
}

// scoreLargeGraph takes the parameters, the network's numbers, y of a bag and its number of instances. It returns the
// same as scoreGraph.
func (p *program) scoreLargeGraph(in []*Node) []*Node {
	c := p.classified(p.bind(p.split(in[0]), numbers(in[1])), p.products(in[2], in[3]))
	return []*Node{c.Logits, c.Weights, ordered(c)}
}

// poolLargeGraph takes the inputs of scoreLargeGraph and returns the same as poolGraph.
func (p *program) poolLargeGraph(in []*Node) []*Node {
	return []*Node{p.classified(p.bind(p.split(in[0]), numbers(in[1])), p.products(in[2], in[3])).Pooled}
}

// whole returns a graph that takes the inputs of seeGraph and the number of instances, all for a whole bag, and gives the
// outputs of a graph with the inputs of scoreLargeGraph.
func (p *program) whole(of func(in []*Node) []*Node) func(in []*Node) []*Node {
	return func(in []*Node) []*Node { return of([]*Node{in[0], in[1], p.seeGraph(in[:4])[0], in[4]}) }
}
