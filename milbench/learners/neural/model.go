package neural

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/cv"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// Model is a trained network, a [learners.Model].
type Model struct {
	card       card
	program    *program
	parameters []float32 // flat, in the order of the program
}

// card is the saved description of a model, without its parameters.
type card struct {
	modeldir.Card
	Config          Config          `json:"config"`
	Standardisation Standardisation `json:"standardisation"`
	Targets         targets         `json:"targets,omitzero"`
}

// Config returns the model's setting.
func (m *Model) Config() Config { return m.card.Config }

// ErrDiverged is wrapped by errors that say that the loss of a training became infinite or NaN.
var ErrDiverged = errNotFinite

// Train trains one model on all bags of a set. If progress is not nil, it is called after each epoch with its number,
// from 1, and the mean loss of its bags. Train uses t.Backend; Workers, Run, Memory and Kept are only for Learn.
func (t Trainer) Train(ctx context.Context, config Config, set *mil.Set, seed uint64, progress func(epoch int, loss float64)) (*Model, error) {
	if err := set.Validate(); err != nil {
		return nil, err
	}
	if err := t.Takes().Check(cv.NewTask(set, nil)); err != nil {
		return nil, err
	}
	bags, examples := set.Instances(), cv.Examples(set)
	config.target = config.learns(set.Kind, set.NumClasses())
	if config.start != nil {
		var err error
		if config.start, err = config.start.forTargets(set.Kind, config.target.targets(examples)); err != nil {
			return nil, err
		}
	}
	ps, moments := newPrograms(t.Backend), newMoments(bags)
	f, initial, err := ps.prepare(config, bags, examples, seed, moments)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.device.finalize() }()
	after := func(epoch int, loss float64) error {
		if progress != nil {
			progress(epoch, loss)
		}
		return nil
	}
	fit := cv.Fit{Seed: seed, Order: cv.SplitSeed(seed, "order"), Train: examples}
	var parameters []float32
	if config.start != nil && config.start.Untrained {
		parameters = initial
	} else if l := newLayout(newGroup(t.Backend, config, bags, allSparse(bags), fit), bags, []cv.Fit{fit}); l.large(t.Backend, bags) {
		if err = config.target.checkLarge(); err == nil {
			parameters, err = f.trainLarge(ctx, t, initial, fit, after)
		}
	} else {
		parameters, err = ps.trainAlone(ctx, l, config, fit, bags, moments, after)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", set.Name, err)
	}
	return &Model{
		card:       card{modeldir.CardOf("", set, seed), config, f.input, f.targets},
		program:    f.program,
		parameters: parameters,
	}, nil
}

// trainAlone trains one fit in a block of its own and returns its parameters.
func (ps *programs) trainAlone(ctx context.Context, l *layout, config Config, fit cv.Fit, bags []mil.Instances, moments bagMoments, after func(epoch int, loss float64) error) (parameters []float32, err error) {
	defer func() { err = errors.Join(err, ps.freeBlocks()) }()
	err = attempt(func() error {
		b, err := ps.newBlock(l, bags, []cv.Fit{fit}, []Config{config}, moments)
		if err != nil {
			return err
		}
		outcomes, err := b.run(ctx, func(epoch int, losses []float32) (err error) {
			if epoch == config.Epochs {
				parameters, err = b.flat()
			}
			return errors.Join(err, after(epoch, float64(losses[0])))
		})
		if err != nil {
			return err
		}
		return outcomes[0].Err
	})
	return parameters, err
}

// Predict scores bags. If instances is true, the score of an instance is the mean of its weights over the heads; for classes,
// it is what the instance adds to each score ([Model.contributions]). Predict returns a [modeldir.BagError] for the first bag that has no instances, a different number of features
// than the model, values that are not finite, or a score that is not finite.
func (m *Model) Predict(ctx context.Context, bags []mil.Instances, instances bool) (predictions []mil.Prediction, err error) {
	err = m.on(bags, func(f *fitting, parameters *tensors.Tensor, indices []int) (err error) {
		predictions, err = f.predict(ctx, parameters, indices)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, p := range predictions {
		if !p.Finite() {
			return nil, &modeldir.BagError{Bag: i, Err: errors.New("its score is not finite: its values or the model's weights are too large for float32")}
		}
	}
	if !instances {
		return predictions, nil
	}
	var contributions [][][]float64
	if m.card.Target == mil.ClassTarget {
		if contributions, err = m.contributions(ctx, bags, predictions); err != nil {
			return nil, err
		}
	}
	for i := range predictions {
		predictions[i].Instances = predictions[i].MeanWeights()
		if contributions != nil {
			predictions[i].ClassInstances = contributions[i]
		}
	}
	return predictions, nil
}

// About implements [learners.Model].
func (m *Model) About() learners.About {
	setting, err := json.Marshal(m.card.Config)
	if err != nil {
		setting = nil // a setting that was read or trained with can always be encoded
	}
	return learners.AboutCard(&m.card.Card, setting)
}

// Pooled returns the pooled vector of each bag. The logit is an affine function of this vector, which holds the
// features that the model uses to separate bags. Errors are the same as those of Predict.
func (m *Model) Pooled(ctx context.Context, bags []mil.Instances) (vectors [][]float64, err error) {
	err = m.on(bags, func(f *fitting, parameters *tensors.Tensor, indices []int) (err error) {
		vectors, err = f.pooled(ctx, parameters, indices)
		return err
	})
	return vectors, err
}

// on checks bags and calls work on all of them with the model's parameters.
func (m *Model) on(bags []mil.Instances, work func(f *fitting, parameters *tensors.Tensor, indices []int) error) error {
	if err := m.card.Check(bags); err != nil {
		return err
	}
	return m.with(bags, work)
}

// with calls work on bags with the model's parameters.
func (m *Model) with(bags []mil.Instances, work func(f *fitting, parameters *tensors.Tensor, indices []int) error) error {
	indices := make([]int, len(bags))
	for i := range bags {
		indices[i] = i
	}
	f := &fitting{program: m.program, config: m.card.Config, bags: bags, input: m.card.Standardisation, targets: m.card.Targets,
		device: newResident(m.program.backend, m.program.features)}
	parameters := tensors.FromFlatDataAndDimensions(slices.Clone(m.parameters), len(m.parameters))
	return errors.Join(work(f, parameters, indices), finalize(parameters), f.device.finalize())
}

// newModel rebuilds the network of a card on a backend.
func newModel(b compute.Backend, c card) (*Model, error) {
	p, err := newProgram(b, c.Config.structure(c.NumFeatures))
	if err != nil {
		return nil, err
	}
	return &Model{card: c, program: p}, nil
}
