package neural

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench"
)

// Trainer trains fits whose settings are the JSON of a [Config].
type Trainer struct {
	Backend compute.Backend
	Workers int // graphs run at a time, at least 1

	// Run, if set, calls work once for each worker, all at a time, with a backend of its own, and waits for them
	// (backend.Cores.Run); otherwise all workers share Backend.
	Run func(work func(compute.Backend) error) error

	// Memory bounds, in bytes, what training takes; 0 is no bound.
	Memory uint64
}

var _ milbench.Learner = Trainer{}

// Learn implements [milbench.Learner].
//
// On XLA fits of one structure are trained in blocks, side by side along a members axis, a block a worker; elsewhere one
// after another, step by step. Either way a fit is the same computation, up to rounding, and on one backend it gives the
// same bits whichever fits share its block and on however many workers, unless [Trainer.Memory] leaves no room for blocks of
// the usual size: [Plan.Note] says so.
func (t Trainer) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	plan, err := t.plan(task)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var handing sync.Mutex
	hand := func(outcomes ...milbench.Outcome) {
		handing.Lock()
		defer handing.Unlock()
		for _, o := range outcomes {
			if ctx.Err() != nil {
				return
			}
			if err := done(o); err != nil {
				cancel(err)
			}
		}
	}
	hand(plan.failed...)

	next := make(chan job, len(plan.jobs))
	for _, j := range plan.jobs {
		next <- j
	}
	close(next)
	var started atomic.Int32
	work := func(b compute.Backend) error {
		if int(started.Add(1)) > plan.Workers { // there is no work, or no memory, for more
			return nil
		}
		programs := newPrograms(b)
		defer programs.finalize()
		for j := range next {
			if ctx.Err() != nil {
				return nil
			}
			outcomes, err := programs.run(ctx, j, task)
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			hand(outcomes...)
		}
		return nil
	}
	run := t.Run
	if run == nil {
		run = t.share
	}
	if len(plan.jobs) > 0 {
		if err := run(work); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// share calls work for each worker with one backend.
func (t Trainer) share(work func(compute.Backend) error) error {
	var workers sync.WaitGroup
	errs := make([]error, max(t.Workers, 1))
	for i := range errs {
		workers.Go(func() { errs[i] = work(t.Backend) })
	}
	workers.Wait()
	return errors.Join(errs...)
}

// run trains the fits of a job and returns their outcomes, each once.
func (ps *programs) run(ctx context.Context, j job, task milbench.Task) ([]milbench.Outcome, error) {
	if j.layout == nil {
		start := time.Now()
		epochs, err := ps.learn(ctx, task.Bags, task.Fits[j.fits[0]])
		return []milbench.Outcome{{Fit: j.fits[0], Epochs: epochs, Wall: time.Since(start), Err: err}}, nil
	}
	program, err := ps.block(j.layout.structure)
	if err != nil {
		return nil, err
	}
	b := &block{blockProgram: program, layout: j.layout, backend: ps.backend, bags: task.Bags}
	for _, i := range j.fits {
		c, err := parse(task.Fits[i])
		if err != nil {
			return nil, err
		}
		b.fits = append(b.fits, task.Fits[i])
		b.configs = append(b.configs, c)
	}
	outcomes, err := b.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: a block of %d fits failed: %w; less --memory makes smaller ones", task.Name, len(j.fits), err)
	}
	handed := map[int]bool{}
	var once []milbench.Outcome
	for m, i := range j.fits {
		if !handed[i] {
			handed[i] = true
			outcomes[m].Fit = i
			once = append(once, outcomes[m])
		}
	}
	for k := range once { // the block's time among its fits, without the copies
		once[k].Wall = once[k].Wall * time.Duration(len(j.fits)) / time.Duration(len(once))
	}
	return once, nil
}

// learn trains one fit step by step and scores its bags.
func (ps *programs) learn(ctx context.Context, bags []milbench.Matrix, fit milbench.Fit) ([]milbench.Epoch, error) {
	config, err := parse(fit)
	if err != nil {
		return nil, err
	}
	f, parameters, err := ps.prepare(config, bags, fit.Train, fit.Seed)
	if err != nil {
		return nil, err
	}
	var epochs []milbench.Epoch
	_, err = f.train(ctx, parameters, fit.Train, fit.Seed, func(epoch int, loss float64, parameters *tensors.Tensor) error {
		if !fit.EveryEpoch && epoch < config.Epochs {
			return nil
		}
		e := milbench.Epoch{Number: epoch, Loss: loss}
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

// programs has the programs of one backend, one a structure.
type programs struct {
	backend compute.Backend
	mu      sync.Mutex
	plain   map[structure]*program
	blocks  map[structure]*blockProgram
}

func newPrograms(b compute.Backend) *programs {
	return &programs{backend: b, plain: map[structure]*program{}, blocks: map[structure]*blockProgram{}}
}

// prepare returns the fitting of a setting and its initial parameters.
func (ps *programs) prepare(c Config, bags []milbench.Matrix, train []milbench.Example, seed uint64) (*fitting, []float32, error) {
	if err := checkFit(c, bags, train); err != nil {
		return nil, nil, err
	}
	s := structure{c.Network().Structure(), bags[train[0].Bag].Cols}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p := ps.plain[s]
	if p == nil {
		var err error
		if p, err = newProgram(ps.backend, s); err != nil {
			return nil, nil, err
		}
		ps.plain[s] = p
	}
	parameters, err := p.initial(ps.backend, weightsSeed(seed))
	if err != nil {
		return nil, nil, err
	}
	return newFitting(p, c, bags, train), parameters, nil
}

// block returns the program that trains blocks of a structure.
func (ps *programs) block(s structure) (*blockProgram, error) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.blocks[s]; p != nil {
		return p, nil
	}
	plain, err := newProgram(ps.backend, s)
	if err != nil {
		return nil, err
	}
	p, err := newBlockProgram(ps.backend, plain)
	if err != nil {
		return nil, err
	}
	ps.blocks[s] = p
	return p, nil
}

func (ps *programs) finalize() {
	for _, p := range ps.plain {
		p.finalize()
	}
	for _, p := range ps.blocks {
		p.finalize()
	}
}
