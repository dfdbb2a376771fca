package neural

import (
	"context"
	"encoding/json"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
)

// Networks trains and loads networks for package learners, which does not import this package. It starts a backend when it
// first needs one.
type Networks struct {
	Trainer // set by Start

	From *Weights // initial weights of TrainModel; nil for random ones

	// Start chooses a backend and returns a trainer on it. Trainings stay within the trainer's memory limit. The caller
	// removes the checkpoints.
	Start func() (Trainer, error)
}

var _ learners.Networks = (*Networks)(nil)

// ready starts the backend if it is not running.
func (n *Networks) ready() (err error) {
	if n.Backend == nil {
		n.Trainer, err = n.Start()
	}
	return err
}

// Learn implements [learner.Learner].
func (n *Networks) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	if err := n.ready(); err != nil {
		return err
	}
	return n.Trainer.Learn(ctx, task, done)
}

// Plan implements [learner.Learner].
func (n *Networks) Plan(task cv.Task) (learner.Plan, error) {
	if err := n.ready(); err != nil {
		return learner.Plan{}, err
	}
	return n.Trainer.Plan(task)
}

// TrainModel implements [learners.Networks].
func (n *Networks) TrainModel(ctx context.Context, setting json.RawMessage, epochs int, set *mil.Set, seed uint64, progress func(int, float64)) (learners.Model, error) {
	var config Config
	if err := json.Unmarshal(setting, &config); err != nil {
		return nil, fmt.Errorf("setting of a network: %w", err)
	}
	if epochs > 0 {
		config.Epochs = epochs
	}
	config.start = n.From
	if err := n.ready(); err != nil {
		return nil, err
	}
	if n.Memory > 0 {
		one, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		fit := cv.Fit{Seed: seed, Setting: one, Train: cv.Examples(set)}
		if _, err := n.Plan(cv.NewTask(set, []cv.Fit{fit})); err != nil { // it must fit into the memory
			return nil, err
		}
	}
	return n.Train(ctx, config, set, seed, progress)
}

// LoadModel implements [learners.Networks].
func (n *Networks) LoadModel(dir string) (learners.Model, error) {
	if err := n.ready(); err != nil {
		return nil, err
	}
	return Load(n.Backend, dir)
}
