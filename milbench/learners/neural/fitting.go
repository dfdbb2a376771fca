package neural

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// fitting is a setting fitted to some bags, which scores others.
type fitting struct {
	program *program
	config  Config
	bags    []mil.Instances
	batch   int // bags per step: the number of the setting, or all bags if there are fewer
	input   Standardisation
	targets targets
	device  *resident // bags on a device; nil on a CPU
}

// newFitting fits the standardisation to the training bags.
func newFitting(p *program, c Config, bags []mil.Instances, train []cv.Example, moments bagMoments) (f *fitting, err error) {
	f = &fitting{program: p, config: c, bags: bags, batch: min(c.Batch, len(train)), targets: c.target.targets(train)}
	if c.Standardise {
		f.input, err = moments.standardisation(train)
	}
	return f, err
}

// Errors of a training or a bag with numbers that are infinite or NaN.
var (
	errNotFinite      = errors.New("the training loss is not finite; lower --lr")
	errScoreNotFinite = errors.New("the score is not finite; lower --lr, or standardise the features")
)

// Everything random in a fit comes from separate streams of its seed: the order of the bags in an epoch, dropout and
// the initial weights.
func orderRand(seed uint64, epoch int) *rand.Rand { return cv.Rand(seed, "order", epoch) }
func dropoutSeed(seed uint64) uint32              { return uint32(cv.SplitSeed(seed, "dropout")) }
func weightsSeed(seed uint64) uint64              { return cv.SplitSeed(seed, "weights") }

// newState returns the flat parameters, and zeros for both moments.
func newState(parameters []float32) []*tensors.Tensor {
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(slices.Clone(parameters), len(parameters)),
		tensors.FromFlatDataAndDimensions(make([]float32, len(parameters)), len(parameters)),
		tensors.FromFlatDataAndDimensions(make([]float32, len(parameters)), len(parameters)),
	}
}

// trainingNumbers returns the numbers of the network and of AdamW, for a fit with the given number of steps per epoch.
func trainingNumbers(c Config, steps int) []float32 {
	return append(networkNumbers(c), float32(c.LR), float32(c.WeightDecay), float32(1-c.LRDecay), float32(steps))
}

// networkNumbers returns the numbers of the network.
func networkNumbers(c Config) []float32 {
	var all []float32
	for _, h := range c.numbers() {
		all = append(all, float32(h.Value))
	}
	return all
}

// predict scores the bags given by index.
func (f *fitting) predict(ctx context.Context, parameters *tensors.Tensor, indices []int) ([]mil.Prediction, error) {
	predictions := make([]mil.Prediction, len(indices))
	err := f.eachBatch(ctx, f.program.score, false, parameters, indices, func(positions []int, outputs []*tensors.Tensor) error {
		chosen := make([]int, len(positions))
		for k, at := range positions {
			chosen[k] = indices[at]
		}
		scored, err := f.predictions(chosen, outputs)
		if err != nil {
			return err
		}
		for k, at := range positions {
			predictions[at] = scored[k]
		}
		return nil
	})
	return predictions, err
}

// pooled returns the pooled vectors of the bags given by index.
func (f *fitting) pooled(ctx context.Context, parameters *tensors.Tensor, indices []int) ([][]float64, error) {
	vectors := make([][]float64, len(indices))
	err := f.eachBatch(ctx, f.program.pool, true, parameters, indices, func(positions []int, outputs []*tensors.Tensor) error {
		values, err := tensors.CopyFlatData[float32](outputs[0])
		if err != nil {
			return err
		}
		features := outputs[0].Shape().Dim(1)
		for k, at := range positions {
			for _, v := range values[k*features:][:features] {
				vectors[at] = append(vectors[at], float64(v))
			}
		}
		return nil
	})
	return vectors, err
}

// eachBatch runs a graph with the inputs of scoreGraph on the bags given by index, batch by batch. It passes on the
// outputs with their positions in indices. Large bags pass one at a time ([largeRunner.read]).
func (f *fitting) eachBatch(ctx context.Context, exec *graph.Exec, pool bool, parameters *tensors.Tensor, indices []int,
	take func(positions []int, outputs []*tensors.Tensor) error) (err error) {
	if len(indices) == 0 {
		return nil
	}
	values := networkNumbers(f.config)
	numbers, scaling := tensors.FromFlatDataAndDimensions(values, len(values)), f.input.scaling(f.program.features)
	runner := newLargeRunner(f.program, f.device)
	defer func() { err = errors.Join(err, runner.finalize(), finalize(numbers, scaling)) }()
	batches, size := scoringBatches(f.bags, indices)
	for _, positions := range batches {
		if err := ctx.Err(); err != nil {
			return err
		}
		if bag := f.bags[indices[positions[0]]]; isLarge(bag, f.config.Layers) {
			for _, at := range positions {
				outputs, err := runner.read(pool, f.config, parameters, numbers, scaling, indices[at], f.bags[indices[at]])
				if err == nil {
					err = take([]int{at}, outputs)
				}
				if err = errors.Join(err, finalize(outputs...)); err != nil {
					return err
				}
			}
			continue
		}
		chosen := make([]int, len(positions))
		for k, at := range positions {
			chosen[k] = indices[at]
		}
		b, err := newBatch(f.bags, chosen, size(padded(f.bags[chosen[0]])), f.input)
		if err != nil {
			return err
		}
		outputs, err := call(exec, []any{b.x, b.mask, numbers, parameters})
		if err == nil {
			err = take(positions, outputs)
		}
		_ = finalize(append(outputs, b.x, b.mask)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// predictions returns the predictions for the bags given by index from the logits and weights of a batch.
func (f *fitting) predictions(chosen []int, outputs []*tensors.Tensor) ([]mil.Prediction, error) {
	logits, err := tensors.CopyFlatData[float32](outputs[0])
	if err != nil {
		return nil, err
	}
	weights, err := tensors.CopyFlatData[float32](outputs[1])
	if err != nil {
		return nil, err
	}
	attention, err := tensors.CopyFlatData[float32](outputs[2])
	if err != nil {
		return nil, err
	}
	heads, instances, each := outputs[1].Shape().Dim(1), outputs[1].Shape().Dim(2), f.config.target.outputs()
	predictions := make([]mil.Prediction, len(chosen))
	for k, i := range chosen {
		p := &predictions[k]
		p.Scores = f.targets.scores(f.config.target, logits[k*each:][:each])
		p.Survival = f.targets.survival(logits[k*each:][:each])
		for h := range heads {
			row := make([]float64, f.bags[i].Len())
			for j := range row {
				row[j] = float64(weights[(k*heads+h)*instances+j])
			}
			p.Weights = append(p.Weights, row)
			if f.config.chooses() {
				p.Winners = append(p.Winners, largest(attention[(k*heads+h)*instances:][:len(row)]))
			}
		}
	}
	return predictions, nil
}
