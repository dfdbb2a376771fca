package neural

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench"
)

// Trainer trains fits whose settings are the JSON of a [Config].
type Trainer struct {
	Backend compute.Backend
	Workers int // fits trained at a time, at least 1
}

var _ milbench.Learner = Trainer{}

// Learn implements [milbench.Learner]. Fits whose settings share a structure share compiled graphs.
func (t Trainer) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	programs := programs{backend: t.Backend, of: map[structure]*sharedProgram{}}
	defer programs.finalize()

	next := make(chan int)
	go func() {
		defer close(next)
		for i := range task.Fits {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var workers sync.WaitGroup
	var handing sync.Mutex
	for range max(t.Workers, 1) {
		workers.Go(func() {
			for i := range next {
				start := time.Now()
				epochs, err := learn(ctx, &programs, task.Bags, task.Fits[i])
				if ctx.Err() != nil {
					return
				}
				handing.Lock()
				err = done(milbench.Outcome{Fit: i, Epochs: epochs, Wall: time.Since(start), Err: err})
				handing.Unlock()
				if err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// learn trains one fit and scores its bags.
func learn(ctx context.Context, programs *programs, bags []milbench.Matrix, fit milbench.Fit) ([]milbench.Epoch, error) {
	var config Config
	if err := json.Unmarshal(fit.Setting, &config); err != nil {
		return nil, err
	}
	f, parameters, err := programs.prepare(config, bags, fit.Train, fit.Seed)
	if err != nil {
		return nil, err
	}
	var epochs []milbench.Epoch
	_, err = f.train(ctx, parameters, fit.Train, fit.Seed, func(epoch int, _ float64, parameters *tensors.Tensor) error {
		if !fit.EveryEpoch && epoch < config.Epochs {
			return nil
		}
		e := milbench.Epoch{Number: epoch}
		var err error
		if e.Validation, err = f.score(ctx, parameters, fit.Validation); err != nil {
			return err
		}
		if e.Test, err = f.score(ctx, parameters, fit.Test); err != nil {
			return err
		}
		epochs = append(epochs, e)
		return nil
	})
	return epochs, err
}

func (f *fitting) score(ctx context.Context, parameters *tensors.Tensor, indices []int) ([]milbench.BagScore, error) {
	predictions, err := f.predict(ctx, parameters, indices)
	if err != nil {
		return nil, err
	}
	scores := make([]milbench.BagScore, len(predictions))
	for i, p := range predictions {
		scores[i] = milbench.BagScore{Score: p.Score, Winners: p.Winners}
	}
	return scores, nil
}

// programs has one program a structure.
type programs struct {
	backend compute.Backend
	mu      sync.Mutex
	of      map[structure]*sharedProgram
}

type sharedProgram struct {
	once    sync.Once
	program *program
	err     error
}

// prepare returns the fitting of a setting and its initial parameters.
func (ps *programs) prepare(c Config, bags []milbench.Matrix, train []milbench.Example, seed uint64) (*fitting, []float32, error) {
	if err := c.Validate(); err != nil {
		return nil, nil, err
	}
	if len(train) == 0 {
		return nil, nil, fmt.Errorf("no bags to train on")
	}
	instances := 0
	for _, e := range train {
		instances = max(instances, bags[e.Bag].Rows)
	}
	if err := c.checkSize(bags[train[0].Bag].Cols, instances, len(train)); err != nil {
		return nil, nil, err
	}
	s := structure{c.Network().Structure(), bags[train[0].Bag].Cols}
	ps.mu.Lock()
	shared := ps.of[s]
	if shared == nil {
		shared = new(sharedProgram)
		ps.of[s] = shared
	}
	ps.mu.Unlock()
	shared.once.Do(func() { shared.program, shared.err = newProgram(ps.backend, s) })
	if shared.err != nil {
		return nil, nil, shared.err
	}
	parameters, err := shared.program.initial(ps.backend, milbench.SplitSeed(seed, "weights"))
	if err != nil {
		return nil, nil, err
	}
	return newFitting(shared.program, c, bags, train), parameters, nil
}

func (ps *programs) finalize() {
	for _, shared := range ps.of {
		if shared.program != nil {
			shared.program.finalize()
		}
	}
}
