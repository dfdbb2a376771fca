// Package networks lets package learners train and load networks. Package learners itself does not import package neural.
package networks

import (
	"context"
	"encoding/json"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// Networks trains and loads networks for package learners. It starts a backend when it first needs one.
type Networks struct {
	neural.Trainer // set by Start

	// Start chooses a backend and returns a trainer on it. Trainings stay within the trainer's memory limit. The caller
	// removes the checkpoints.
	Start func() (neural.Trainer, error)
}

var _ learners.Networks = (*Networks)(nil)

// Ready starts the backend if it is not running.
func (n *Networks) Ready() (err error) {
	if n.Backend == nil {
		n.Trainer, err = n.Start()
	}
	return err
}

// Learn implements [learner.Learner].
func (n *Networks) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	if err := n.Ready(); err != nil {
		return err
	}
	return n.Trainer.Learn(ctx, task, done)
}

// Plan implements [learner.Learner].
func (n *Networks) Plan(task cv.Task) (learner.Plan, error) {
	if err := n.Ready(); err != nil {
		return learner.Plan{}, err
	}
	return n.Trainer.Plan(task)
}

// End stops the backend if it was started.
func (n *Networks) End() {
	if n.Backend != nil {
		n.Backend.Finalize()
	}
}

// TrainModel implements [learners.Networks].
func (n *Networks) TrainModel(ctx context.Context, setting json.RawMessage, epochs int, set *mil.Set, seed uint64, progress func(int, float64)) (learners.Model, error) {
	var config neural.Config
	if err := json.Unmarshal(setting, &config); err != nil {
		return nil, fmt.Errorf("setting of a network: %w", err)
	}
	if epochs > 0 {
		config.Epochs = epochs
	}
	if err := n.Ready(); err != nil {
		return nil, err
	}
	if n.Memory > 0 {
		one, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		fit := cv.Fit{Seed: seed, Setting: one}
		for i, b := range set.Bags {
			fit.Train = append(fit.Train, cv.Example{Bag: i, Target: b.Target})
		}
		if _, err := n.Plan(cv.NewTask(set, []cv.Fit{fit})); err != nil { // it must fit into the memory
			return nil, err
		}
	}
	m, err := n.Train(ctx, config, set, seed, progress)
	if err != nil {
		return nil, err
	}
	return Model{m}, nil
}

// LoadModel implements [learners.Networks].
func (n *Networks) LoadModel(dir string) (learners.Model, error) {
	if err := n.Ready(); err != nil {
		return nil, err
	}
	m, err := neural.Load(n.Backend, dir)
	if err != nil {
		return nil, err
	}
	return Model{m}, nil
}

// Model makes a network a [learners.Model].
type Model struct{ *neural.Model }

// Predict implements [learners.Model]. The score of an instance is the mean of its weights over the heads; for classes,
// it is [neural.Model.Contributions].
func (m Model) Predict(ctx context.Context, bags []mil.Instances, instances bool) ([]mil.Prediction, error) {
	predictions, err := m.Model.Predict(ctx, bags)
	if err != nil {
		return nil, err
	}
	if !instances {
		return predictions, nil
	}
	var contributions [][][]float64
	if m.Card().Target == mil.ClassTarget {
		if contributions, err = m.Contributions(ctx, bags, predictions); err != nil {
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
func (m Model) About() learners.About {
	setting, err := json.Marshal(m.Config())
	if err != nil {
		setting = nil // a setting that was read or trained with can always be encoded
	}
	return learners.AboutCard(m.Card(), setting)
}
