package neural

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Trainer trains fits whose settings are the JSON of a [Config].
type Trainer struct {
	Backend compute.Backend
	Workers int // number of graphs that run at a time, at least 1

	// Run, if not nil, calls work concurrently, once per worker with its own backend, and waits for all calls
	// (backend.Cores.Run). Otherwise all workers share Backend.
	Run func(work func(compute.Backend) error) error

	// Kept says that workers load graphs that another worker has compiled (backend.Cores.Kept).
	Kept bool

	// Memory is the memory limit of Learn in bytes; 0 means no limit.
	Memory uint64

	// Checkpoints, if not empty, is a folder for the state of trainings on large bags. The state is saved after an
	// epoch, at most every two seconds. A killed training resumes from it, with bit-identical results. A file is
	// removed when the fit's outcome has been passed on, and the folder with the last file. The caller must remove the
	// files of Train.
	Checkpoints string

	// Watch, if not nil, is called by each worker after each large bag that it has trained on.
	Watch func(Watched)
}

// Watched reports the progress of a worker that trains fits on large bags.
type Watched struct {
	Fits          int
	Epoch, Epochs int // from 1; Epochs is that of the fits with the most
	Bag, Bags     int // from 1, in this epoch
}

var _ learner.Learner = Trainer{}

// Learn implements [learner.Learner].
//
// Fits of one structure are trained in blocks, side by side along a members axis, with one block per worker; outside XLA a
// block has one fit. Fits on large bags are trained in chunks of instances (see the package documentation). Results of
// both agree up to rounding. On one backend, the results of a fit are bit-identical for any other fits in its block and any number of workers. The exception is a
// [Trainer.Memory] too small for blocks of the usual size; [learner.Plan.Note] reports that.
func (t Trainer) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	plan, err := t.plan(task)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var handing sync.Mutex
	var refused error // by done
	hand := func(outcomes ...learner.Outcome) bool {
		handing.Lock()
		defer handing.Unlock()
		for _, o := range outcomes {
			if refused != nil || o.Err != nil && ctx.Err() != nil { // stopped, not failed
				continue
			}
			if refused = done(o); refused != nil {
				cancel(refused)
			}
		}
		return refused == nil && ctx.Err() == nil
	}
	hand(plan.failed...)

	jobs, moments := plan.queue(t.Kept), newMoments(task.Bags)
	var started atomic.Int32
	work := func(b compute.Backend) error {
		if int(started.Add(1)) > plan.Workers { // there is no work or memory for more workers
			return nil
		}
		programs := newPrograms(b)
		defer programs.finalize()
		for j, of := jobs.Take(nil); of != nil && ctx.Err() == nil; j, of = jobs.Take(of) {
			outcomes, kept := t.train(ctx, programs, j, task, moments)
			if !hand(outcomes...) {
				continue
			}
			for _, path := range kept {
				if err := removeCheckpoint(path); err != nil {
					return err
				}
			}
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

// share calls work for each worker with the same backend.
func (t Trainer) share(work func(compute.Backend) error) error {
	var workers sync.WaitGroup
	errs := make([]error, max(t.Workers, 1))
	for i := range errs {
		workers.Go(func() { errs[i] = work(t.Backend) })
	}
	workers.Wait()
	return errors.Join(errs...)
}

// train trains the fits of a job and returns their outcomes, each once. It also returns the files to remove when the
// outcomes have been passed on.
func (t Trainer) train(ctx context.Context, ps *programs, j job, task cv.Task, moments bagMoments) ([]learner.Outcome, []string) {
	start := time.Now()
	var configs []Config
	for _, i := range j.fits {
		c, _ := parse(task, task.Fits[i]) // the plan has parsed it before
		configs = append(configs, c)
	}
	if j.large {
		outcomes, kept, err := ps.learnLarge(ctx, t, j, configs, task, moments)
		for k := range outcomes {
			outcomes[k].Fit, outcomes[k].Wall = j.fits[k], time.Since(start)/time.Duration(len(j.fits))
			outcomes[k].Err = errors.Join(err, outcomes[k].Err)
		}
		return outcomes, kept
	}
	var members []learner.Outcome
	err := attempt(func() (err error) {
		members, err = ps.learnBlock(ctx, j, configs, task, moments)
		return err
	})
	if err != nil && len(j.fits) > 1 {
		err = fmt.Errorf("the block of %d fits that it was trained in failed: %w; a smaller --memory makes smaller blocks", len(j.fits), err)
	}
	if err != nil {
		members = make([]learner.Outcome, len(j.fits))
	}
	fits := slices.Compact(slices.Clone(j.fits)) // copies of the first fill the block
	if n := len(fits); n > 1 && fits[n-1] == fits[0] {
		fits = fits[:n-1]
	}
	for m, i := range fits {
		members[m].Fit, members[m].Wall = i, time.Since(start)/time.Duration(len(fits))
		if err != nil {
			members[m].Err = err
		}
	}
	return members[:len(fits)], nil
}

// learnBlock trains the fits of a job side by side and returns the outcomes of the members.
func (ps *programs) learnBlock(ctx context.Context, j job, configs []Config, task cv.Task, moments bagMoments) ([]learner.Outcome, error) {
	var fits []cv.Fit
	for _, i := range j.fits {
		fits = append(fits, task.Fits[i])
	}
	b, err := ps.newBlock(j.layout, task.Bags, fits, configs, moments)
	if err != nil {
		return nil, err
	}
	return b.run(ctx, nil)
}

// newBlock returns a block of fits.
func (ps *programs) newBlock(l *layout, bags []mil.Instances, fits []cv.Fit, configs []Config, moments bagMoments) (*block, error) {
	program, err := ps.block(l.blockStructure)
	if err != nil {
		return nil, err
	}
	if err := ps.device.finalize(); err != nil { // a block needs the memory
		return nil, err
	}
	data, err := ps.held(l, bags)
	if err != nil {
		return nil, err
	}
	return &block{blockProgram: program, layout: l, bags: bags, data: data, moments: moments, fits: fits, configs: configs}, nil
}

// learnLarge trains the fits of a job on large bags. It returns their outcomes, with or without an error, and their
// checkpoints.
func (ps *programs) learnLarge(ctx context.Context, t Trainer, j job, configs []Config, task cv.Task, moments bagMoments) (outcomes []learner.Outcome, kept []string, err error) {
	outcomes = make([]learner.Outcome, len(j.fits))
	var fits []*largeFit
	var places []int // in the outcomes
	defer func() {
		for _, l := range fits {
			err = errors.Join(err, l.finalize())
		}
	}()
	for k, i := range j.fits {
		fit := task.Fits[i]
		f, initial, err := ps.prepare(configs[k], task.Bags, fit.Train, fit.Seed, moments)
		if err != nil {
			outcomes[k].Err = err
			continue
		}
		l := newLargeFit(f, fit, initial)
		fits, places = append(fits, l), append(places, k)
	}
	if len(fits) == 0 {
		return outcomes, nil, nil
	}
	runner := newLargeRunner(fits[0].program, ps.device)
	defer func() { err = errors.Join(err, runner.finalize()) }()
	err = attempt(func() error {
		return runner.train(ctx, t, fits, fits[0].fit.Order, func(l *largeFit, loss float64) error {
			if !l.fit.EveryEpoch && l.epoch < l.config.Epochs {
				return nil
			}
			e, err := l.scored(ctx, l.fit, l.state[0], l.epoch, loss)
			if err != nil {
				l.err = err
				return ctx.Err()
			}
			l.epochs = append(l.epochs, e)
			return nil
		})
	})
	for k, l := range fits {
		outcomes[places[k]].Epochs, outcomes[places[k]].Err = l.epochs, l.err
		if l.checkpoint != "" {
			kept = append(kept, l.checkpoint)
		}
	}
	return outcomes, kept, err
}

// scored scores the held-out bags of a fit.
func (f *fitting) scored(ctx context.Context, fit cv.Fit, parameters *tensors.Tensor, epoch int, loss float64) (e learner.Epoch, err error) {
	e.Number, e.Loss = epoch, loss
	if e.Validation, err = f.score(ctx, parameters, fit.Validation, false); err != nil {
		return e, err
	}
	e.Test, err = f.score(ctx, parameters, fit.Test, fit.Instances)
	return e, err
}

// score scores the bags given by index, with their weights if wanted.
func (f *fitting) score(ctx context.Context, parameters *tensors.Tensor, indices []int, weights bool) ([]mil.Prediction, error) {
	predictions, err := f.predict(ctx, parameters, indices)
	if err != nil {
		return nil, err
	}
	scores := make([]mil.Prediction, len(predictions))
	for i, p := range predictions {
		if !p.Finite() {
			return nil, fmt.Errorf("bag %d: %w", indices[i], errScoreNotFinite)
		}
		scores[i] = mil.Prediction{Scores: p.Scores, Survival: p.Survival, Winners: p.Winners}
		if weights {
			scores[i].Instances = p.MeanWeights()
		}
	}
	return scores, nil
}

// programs holds the programs of one worker: one per structure for scoring and for large bags, and the last one for blocks.
type programs struct {
	backend compute.Backend
	plain   map[structure]*program
	blocks  *blockProgram
	layout  *layout // layout of the bags that are held
	bags    [][]*tensors.Tensor
	device  *resident // bags of the task on a device; nil on a CPU
}

func newPrograms(b compute.Backend) *programs {
	return &programs{backend: b, plain: map[structure]*program{}}
}

// prepare returns the fitting of a setting and its initial parameters.
func (ps *programs) prepare(c Config, bags []mil.Instances, train []cv.Example, seed uint64, moments bagMoments) (*fitting, []float32, error) {
	if err := checkFit(c, bags, train); err != nil {
		return nil, nil, err
	}
	s := structureOf(c, bags, train)
	p := ps.plain[s]
	if p == nil {
		var err error
		if p, err = newProgram(ps.backend, s); err != nil {
			return nil, nil, err
		}
		ps.plain[s] = p
	}
	parameters, err := p.initial(c, p.features, weightsSeed(seed))
	if err != nil {
		return nil, nil, err
	}
	f, err := newFitting(p, c, bags, train, moments)
	if err != nil {
		return nil, nil, err
	}
	if ps.device == nil {
		ps.device = newResident(ps.backend, p.features)
	}
	f.device = ps.device
	return f, slices.Concat(parameters...), nil
}

// block returns the program that trains blocks of a structure. It frees the previous one: blocks of one structure
// follow one another, and graphs need memory.
func (ps *programs) block(s blockStructure) (*blockProgram, error) {
	if ps.blocks != nil {
		if ps.blocks.of == s {
			return ps.blocks, nil
		}
		ps.blocks.finalize()
		ps.blocks = nil
	}
	p, err := newBlockProgram(ps.backend, s)
	ps.blocks = p
	return p, err
}

// held returns the bags of a layout by bucket, which all its blocks share, or nil if they are streamed. It frees the bags of the previous layout.
func (ps *programs) held(l *layout, bags []mil.Instances) ([][]*tensors.Tensor, error) {
	if ps.layout == l {
		return ps.bags, nil
	}
	if err := ps.free(); err != nil {
		return nil, err
	}
	for _, size := range l.buckets {
		if l.streams {
			break
		}
		data, err := l.arrays(size, bags, l.bags[size], l.places(size))
		if err != nil {
			return nil, err
		}
		ps.bags = append(ps.bags, data)
	}
	ps.layout = l
	return ps.bags, nil
}

// free frees the bags that are held.
func (ps *programs) free() (err error) {
	for _, data := range ps.bags {
		err = errors.Join(err, finalize(data...))
	}
	ps.layout, ps.bags = nil, nil
	return err
}

// freeBlocks frees what only blocks need.
func (ps *programs) freeBlocks() error {
	if ps.blocks != nil {
		ps.blocks.finalize()
		ps.blocks = nil
	}
	return ps.free()
}

func (ps *programs) finalize() {
	_ = errors.Join(ps.freeBlocks(), ps.device.finalize())
	for _, p := range ps.plain {
		p.finalize()
	}
}
