package neural

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/internal/batched"
	"synpool/milbench/cv"
)

// This file trains one fit at a time, with plain automatic differentiation and one graph per step: what blocks and chunks are
// compared with.

// stepwise returns the graph of a step, compiled for each bucket.
func stepwise(p *program) *Exec {
	exec, ok := steps.Load(p)
	if !ok {
		exec, _ = steps.LoadOrStore(p, must(NewExec(p.backend, p.trainGraph)).SetMaxCache(-1))
	}
	return exec.(*Exec)
}

var steps sync.Map // by program

// Inputs of the training graph.
const (
	inX = iota
	inMask
	inLabels
	inCounted
	inNumbers // numbers of the network, learning rate, weight decay
	inSeed
	inStep // number of the step, from 1
	inLoss // sum of the losses of the epoch so far
	inParameters
	inFirst
	inSecond
)

// trainGraph takes one training step on one batch. It returns inLoss plus the losses of this batch, and the state. The
// arrays of the state are flat, so that the update of all parameters is one loop over memory.
func (p *program) trainGraph(in []*Node) []*Node {
	values := numbers(in[inNumbers])
	network, rates := splitNumbers(values)
	bags := dense(in[inX], in[inMask])
	bags.DropoutKey = batched.DropoutKey(in[inSeed], in[inStep])
	parameters := p.split(in[inParameters])
	value, differentiated := losses(p.classify(p.bind(parameters, network), bags), p.target, in[inLabels])
	total := func(losses *Node) *Node { return ReduceAllSum(Mul(losses, in[inCounted])) }
	gradients := Gradient(Div(total(differentiated), ReduceAllSum(in[inCounted])), parameters...)
	for i, g := range gradients {
		gradients[i] = Reshape(g, -1)
	}
	gradient := Concatenate(gradients, 0)
	first, second := moments(in[inFirst], in[inSecond], gradient, clip(ReduceAllSum(Square(gradient))), nil)
	updated := newPace(in[inStep], rates).update(in[inParameters], first, second)
	return []*Node{Add(in[inLoss], total(value)), updated, first, second}
}

// batches yields the batches of an epoch.
func (o order) batches() iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		for _, round := range o {
			for _, size := range sortedBuckets(round) {
				for _, batch := range round[size] {
					if !yield(batch) {
						return
					}
				}
			}
		}
	}
}

// train trains a fit alone, step by step, as blocks do side by side. It returns the parameters. After each epoch it calls
// after with the epoch, from 1, the mean loss of its bags and the flat parameters, which after must not keep.
func (f *fitting) train(ctx context.Context, initial []float32, examples []cv.Example, seed uint64,
	after func(epoch int, loss float64, parameters *tensors.Tensor) error) ([]float32, error) {
	sizes := sizesOf(f.bags)
	return f.trainIn(func(epoch int) iter.Seq[[]int] {
		return epochOrder(sizes, examples, f.config.Batch, epoch, orderRand(seed, epoch)).batches()
	}, epochSteps(sizes, examples, f.config.Batch), ctx, initial, examples, seed, after)
}

// trainIn does the same in a given order, of a number of steps per epoch.
func (f *fitting) trainIn(order func(epoch int) iter.Seq[[]int], steps int, ctx context.Context, initial []float32, examples []cv.Example, seed uint64,
	after func(epoch int, loss float64, parameters *tensors.Tensor) error) ([]float32, error) {
	state := newState(initial)
	values := trainingNumbers(f.config, steps)
	numbers, dropout := tensors.FromFlatDataAndDimensions(values, len(values)), tensors.FromScalar(dropoutSeed(seed))
	var total *tensors.Tensor // sum of the losses of the epoch so far
	defer func() { _ = finalize(append(state, numbers, dropout, total)...) }()
	all := f.targets.labels(f.config.target, examples)
	step := int32(0)
	for epoch := 1; epoch <= f.config.Epochs; epoch++ {
		total = tensors.FromScalar(float32(0))
		for batch := range order(epoch) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			indices, labels := make([]int, len(batch)), make([]float32, len(batch))
			for k, i := range batch {
				indices[k], labels[k] = examples[i].Bag, all[i]
			}
			step++
			next, err := f.step(state, indices, labels, step, numbers, dropout, total)
			if err != nil {
				return nil, err
			}
			total = next
		}
		mean := float64(tensors.ToScalar[float32](total)) / float64(len(examples))
		if err := finalize(total); err != nil {
			return nil, err
		}
		if math.IsNaN(mean) || math.IsInf(mean, 0) {
			return nil, fmt.Errorf("epoch %d: %w", epoch, errNotFinite)
		}
		if err := after(epoch, mean, state[0]); err != nil {
			return nil, err
		}
	}
	return tensors.CopyFlatData[float32](state[0])
}

// step takes one training step on the bags given by index and replaces the state. It returns total plus the losses of
// these bags.
func (f *fitting) step(state []*tensors.Tensor, indices []int, labels []float32, step int32, numbers, dropout, total *tensors.Tensor) (*tensors.Tensor, error) {
	b, err := newBatch(f.bags, indices, f.batch, f.input)
	if err != nil {
		return nil, err
	}
	y, counted := make([]float32, f.batch), make([]float32, f.batch)
	copy(y, labels)
	for k := range indices {
		counted[k] = 1
	}
	t := tensors.FromScalar(step)
	own := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(y, f.batch), tensors.FromFlatDataAndDimensions(counted, f.batch)}
	defer func() { _ = finalize(append(own, b.x, b.mask, t)...) }()
	outputs, err := call(stepwise(f.program), []any{inX: b.x, inMask: b.mask, inLabels: own[0], inCounted: own[1],
		inNumbers: numbers, inSeed: dropout, inStep: t, inLoss: total,
		inParameters: state[0], inFirst: state[1], inSecond: state[2]})
	if err != nil {
		return nil, err
	}
	if err := finalize(append(state, total)...); err != nil {
		return nil, err
	}
	copy(state, outputs[1:])
	return outputs[0], nil
}
