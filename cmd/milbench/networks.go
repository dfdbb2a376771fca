package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"synpool/backend"
	"synpool/milbench"
	"synpool/milbench/learner"
	"synpool/milbench/learner/neural"
)

// networks trains and reads networks for package learner. It starts a backend when it first needs one.
type networks struct {
	neural.Trainer
	program *program
	cores   int
	memory  uint64
	alone   bool // at most one network is trained at a time, on all cores
	choice  *backend.Choice

	checkpoints string // see [neural.Trainer.Checkpoints]; the caller removes them
}

var _ learner.Networks = (*networks)(nil)

// start starts the backend, if it is not there yet.
func (n *networks) start() error {
	if n.choice != nil {
		return nil
	}
	if n.alone {
		choice, err := n.program.chooseBackend()
		if err == nil {
			n.choice, n.Trainer = choice, neural.Trainer{Backend: choice.Backend, Workers: 1, Memory: n.memory, Watch: n.program.large.watch}
		}
		return err
	}
	choice, trainer, err := n.program.chooseTrainer(n.cores, n.memory)
	if err == nil {
		n.choice, n.Trainer = choice, trainer
	}
	return err
}

// end ends the backend.
func (n *networks) end() {
	if n.choice != nil {
		n.choice.Backend.Finalize()
	}
}

// TrainModel implements [learner.Networks].
func (n *networks) TrainModel(ctx context.Context, setting json.RawMessage, epochs int, set *milbench.Set, seed uint64, progress func(int, float64)) (learner.Model, error) {
	var config neural.Config
	if err := json.Unmarshal(setting, &config); err != nil {
		return nil, fmt.Errorf("setting of a network: %w", err)
	}
	if epochs > 0 {
		config.Epochs = epochs
	}
	if err := n.start(); err != nil {
		return nil, err
	}
	if n.memory > 0 {
		one, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		fit := milbench.Fit{Seed: seed, Setting: one}
		for i, b := range set.Bags {
			fit.Train = append(fit.Train, milbench.Example{Bag: i, Target: b.Target})
		}
		if _, err := n.Plan(set.Task([]milbench.Fit{fit})); err != nil { // it must fit into the memory
			return nil, err
		}
	}
	n.Checkpoints = n.checkpoints
	m, err := n.Train(ctx, config, set, seed, progress)
	if err != nil {
		return nil, err
	}
	return network{m}, nil
}

// LoadModel implements [learner.Networks].
func (n *networks) LoadModel(dir string) (learner.Model, error) {
	if err := n.start(); err != nil {
		return nil, err
	}
	m, err := neural.Load(n.choice.Backend, dir)
	if err != nil {
		return nil, err
	}
	return network{m}, nil
}

// network is a network as a [learner.Model].
type network struct{ *neural.Model }

// Predict implements [learner.Model]. The scores of instances are means over the heads of their weights.
func (n network) Predict(ctx context.Context, bags []milbench.Instances, instances bool) ([]milbench.Prediction, error) {
	predictions, err := n.Model.Predict(ctx, bags)
	if err != nil {
		return nil, err
	}
	all := make([]milbench.Prediction, len(predictions))
	for i, p := range predictions {
		all[i] = milbench.Prediction{Scores: p.Scores, Survival: p.Survival, Winners: p.Winners}
		if !instances {
			continue
		}
		all[i].Instances = make([]float64, bags[i].Len())
		for _, weights := range p.Weights {
			for k, w := range weights {
				all[i].Instances[k] += w / float64(len(p.Weights))
			}
		}
	}
	return all, nil
}

// About implements [learner.Model].
func (n network) About() learner.About {
	setting, err := json.Marshal(n.Config())
	if err != nil {
		setting = nil // a setting that was read or trained with can be written
	}
	return learner.About{Setting: setting, Set: n.SetName(), Target: n.Target(), Classes: n.Classes(), Leaked: n.Leaked(), NumFeatures: n.NumFeatures(), Features: n.Features(), Missing: n.Missing()}
}

// diverged reports whether a training has left the finite numbers.
func diverged(err error) bool { return errors.Is(err, neural.ErrDiverged) }
