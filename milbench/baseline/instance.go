package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"synpool/milbench"
)

// Instance is the learner of instance classifiers: settings are the JSON of a [Config]. It sees no bag in training, only
// instances that bear the labels of their bags, as the baseline that Carbonneau et al. (2018) call SI-SVM. Scores are
// maxima over the instances and winners the instances that have them.
//
// A fit has one epoch, whatever [milbench.Fit.EveryEpoch] says, and uses nothing random. A fit that does not converge has
// failed ([ErrNotConverged]).
type Instance struct {
	Workers int // fits at a time, at least 1
}

var _ milbench.Learner = Instance{}

// Learn implements [milbench.Learner].
func (l Instance) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	if err := task.Validate(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int, len(task.Fits))
	for i := range task.Fits {
		next <- i
	}
	close(next)
	var handing sync.Mutex
	hand := func(o milbench.Outcome) {
		handing.Lock()
		defer handing.Unlock()
		if ctx.Err() != nil { // stopped, not failed
			return
		}
		if err := done(o); err != nil {
			cancel(err)
		}
	}
	var workers sync.WaitGroup
	for range max(l.Workers, 1) {
		workers.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				start := time.Now()
				epoch, err := learn(ctx, task.Bags, task.Fits[i])
				o := milbench.Outcome{Fit: i, Wall: time.Since(start), Err: err}
				if err == nil {
					o.Epochs = []milbench.Epoch{epoch}
				}
				hand(o)
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// What an estimate of time reckons with: passes over the training instances until a fit converges, and floating point
// operations a second of one core.
const (
	passes    = 300
	coreFlops = 1e9
)

// Seconds returns about how long one core takes for a fit, 0 for a setting that makes no sense.
func Seconds(bags []milbench.Matrix, fit milbench.Fit) float64 {
	var config Config
	if err := json.Unmarshal(fit.Setting, &config); err != nil || config.Validate() != nil {
		return 0
	}
	rows, values := 0.0, 0.0
	for _, e := range fit.Train {
		rows += float64(bags[e.Bag].Rows)
		values += float64(len(bags[e.Bag].Values))
	}
	if config.Gamma == 0 {
		return 4 * passes * values / coreFlops
	}
	landmarks := min(rows, mostLandmarks)
	return (2*landmarks*values + rows*landmarks*landmarks + landmarks*landmarks*landmarks/3 + 4*passes*rows*landmarks) / coreFlops
}

// learn fits one setting and scores the bags that are held out.
func learn(ctx context.Context, bags []milbench.Matrix, fit milbench.Fit) (milbench.Epoch, error) {
	var config Config
	if err := json.Unmarshal(fit.Setting, &config); err != nil {
		return milbench.Epoch{}, err
	}
	model, err := config.fit(ctx, bags, fit.Train)
	if err != nil {
		return milbench.Epoch{}, err
	}
	e := milbench.Epoch{Number: 1, Loss: model.Loss}
	if e.Validation, err = model.scores(bags, fit.Validation, false); err != nil {
		return milbench.Epoch{}, err
	}
	e.Test, err = model.scores(bags, fit.Test, fit.Weights)
	return e, err
}

// scores returns the scores of bags, by index, with those of their instances where weights are asked for.
func (m *Model) scores(bags []milbench.Matrix, indices []int, weights bool) ([]milbench.BagScore, error) {
	scores := make([]milbench.BagScore, len(indices))
	for k, i := range indices {
		var err error
		if scores[k], err = m.Score(bags[i]); err != nil {
			return nil, fmt.Errorf("bag %d: %w", i, err)
		}
		if !weights {
			scores[k].Weights = nil
		}
	}
	return scores, nil
}
