package study

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"synpool/milbench"
	"synpool/milbench/stats"
)

// Run is a study: every setting on every set under one protocol.
type Run struct {
	Sets     []*milbench.Set
	Protocol milbench.Protocol
	Settings []json.RawMessage // JSON objects
	Seed     uint64
	Learner  milbench.Learner
	Dir      string // the results folder

	// Curves asks for a curve of every fit that is run ([Curve]). The results are the same with and without: which epoch
	// counts does not change.
	Curves bool

	// Backend, Version and Revision are written into every result.
	Backend, Version, Revision string

	// Progress, if set, is called before the first fit of each set and after every fit. Calls do not overlap.
	Progress func(Progress)
}

// Progress says how far a run is.
type Progress struct {
	Summary
	Set string // of the fit that has just ended, or whose first fit is about to begin
	Err error  // why that fit failed
}

// Summary counts the fits of a run.
type Summary struct {
	Total   int // fits that the run asks for
	Skipped int // whose results were in the folder already
	Done    int // finished by this run
	Failed  int // tried by this run without a result; the next run tries them again

	Curveless int // of those skipped, where curves are asked for, how many have none
}

// Pending is what a run has still to do on one set.
type Pending struct {
	Total int           // fits that the run asks for
	Task  milbench.Task // those whose results are not in the folder yet
}

// Pending returns what Do would do on each set. It writes nothing: a folder that is missing has no results.
func (r Run) Pending() ([]Pending, error) {
	var sum Summary
	studies, err := r.studies(&sum)
	if err != nil {
		return nil, err
	}
	results, err := Read(r.Dir)
	if err != nil && !errors.Is(err, ErrNoResults) {
		return nil, err
	}
	finished := finishedFits(results)
	var pending []Pending
	for _, s := range studies {
		total := len(s.fits)
		if err := s.skip(finished, nil); err != nil {
			return nil, err
		}
		pending = append(pending, Pending{Total: total, Task: s.task()})
	}
	return pending, nil
}

// Do runs the fits whose results are not in the folder yet and appends each result as it comes. All missing fits of a
// set are handed to the learner at once. A failed fit does not end the run; the errors of all failed fits are joined.
// A canceled context ends it with the context's error, a file that cannot be written with that error ([ErrDiskFull]);
// results so far are kept in both cases. Wrong input is reported before anything is written.
func (r Run) Do(ctx context.Context) (Summary, error) {
	var sum Summary
	studies, err := r.studies(&sum)
	if err != nil {
		return sum, err
	}
	file, err := Open(r.Dir)
	if err != nil {
		return sum, err
	}
	var curves map[string]bool
	if r.Curves {
		if curves, err = file.openCurves(); err != nil {
			return sum, errors.Join(err, file.Close())
		}
	}
	finished := finishedFits(file.Results())
	var errs []error
	for _, s := range studies {
		if err := s.skip(finished, curves); err != nil {
			return sum, errors.Join(err, file.Close())
		}
	}
	for _, s := range studies {
		s.file = file
		if len(s.fits) == 0 {
			continue
		}
		if ctx.Err() == nil {
			errs = append(errs, s.learn(ctx)...)
		}
		if s.fatal != nil {
			break
		}
		if err := ctx.Err(); err != nil && sum.Skipped+sum.Done+sum.Failed < sum.Total {
			errs = append(errs, fmt.Errorf("stopped, %d of %d results kept: %w", sum.Skipped+sum.Done, sum.Total, err))
			break
		}
	}
	return sum, errors.Join(append(errs, file.Close())...)
}

// studies returns what the run asks for on each set.
func (r *Run) studies(sum *Summary) ([]*setStudy, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var studies []*setStudy
	for _, s := range r.Sets {
		fits, err := r.Protocol.Fits(s, r.Settings, r.Seed)
		if err != nil {
			return nil, err
		}
		for i := range fits {
			fits[i].EveryEpoch = fits[i].EveryEpoch || r.Curves
		}
		studies = append(studies, &setStudy{Run: r, set: s, summary: sum, fits: fits})
		sum.Total += len(fits)
	}
	return studies, nil
}

// finishedFits returns the ids of the fits that have results.
func finishedFits(results []Result) map[string]bool {
	finished := make(map[string]bool)
	for _, r := range results {
		finished[r.Fit] = true
	}
	return finished
}

// check reports wrong input that the protocol does not see.
func (r Run) check() error {
	if len(r.Sets) == 0 {
		return errors.New("no sets to run on")
	}
	configs := make(map[string]bool)
	for _, setting := range r.Settings {
		config, err := canonical(setting)
		if err != nil {
			return err
		}
		if configs[string(config)] {
			return fmt.Errorf("setting %s stands twice", config)
		}
		configs[string(config)] = true
	}
	sets := make(map[string]string)
	for _, s := range r.Sets {
		if s.Checksum == "" {
			return fmt.Errorf("%s: the set has no checksum", s.Name)
		}
		if other, twice := sets[s.Checksum]; twice {
			return fmt.Errorf("%s holds the same bags as %s; name one of them", s.Name, other)
		}
		sets[s.Checksum] = s.Name
	}
	return nil
}

// setStudy runs the missing fits of one set.
type setStudy struct {
	*Run
	set     *milbench.Set
	summary *Summary
	file    *File
	fits    []milbench.Fit // those that are missing
	results []Result       // of fits, still without scores
	fatal   error          // the file could not be written
}

// skip drops the fits that are finished; curves has those with a curve.
func (s *setStudy) skip(finished, curves map[string]bool) error {
	missing := s.fits[:0]
	cut, run := s.Protocol.FoldsOf(s.set)
	for _, fit := range s.fits {
		config, err := canonical(fit.Setting)
		if err != nil {
			return err
		}
		result := Result{
			Set: s.set.Name, Checksum: s.set.Checksum,
			Protocol: s.Protocol.Name, Folds: cut, FoldsRun: run, Repeat: fit.Repeat, Fold: fit.Fold, Seed: s.Seed,
			Config: config,
			Leaked: s.set.Leaked, Optimistic: s.Protocol.Optimistic(),
			Backend: s.Backend, Version: s.Version, Revision: s.Revision,
		}
		if result.Fit, err = result.ID(); err != nil {
			return err
		}
		if finished[result.Fit] {
			s.summary.Skipped++
			if s.Curves && !curves[result.Fit] {
				s.summary.Curveless++
			}
			continue
		}
		missing = append(missing, fit)
		s.results = append(s.results, result)
	}
	s.fits = missing
	return nil
}

// task returns what the learner gets to see.
func (s *setStudy) task() milbench.Task {
	task := milbench.Task{Name: s.set.Name, Fits: s.fits}
	for _, b := range s.set.Bags {
		task.Bags = append(task.Bags, b.Instances)
	}
	return task
}

// learn hands the fits to the learner and returns the errors of those that failed.
func (s *setStudy) learn(ctx context.Context) (errs []error) {
	handed := make([]bool, len(s.fits))
	failed := func(fit int, err error) {
		s.summary.Failed++
		r := s.results[fit]
		err = fmt.Errorf("%s: repeat %d, fold %d, seed %d, %s: %w", r.Set, r.Repeat+1, r.Fold+1, r.Seed, r.Config, err)
		errs = append(errs, err)
		s.progress(err)
	}
	s.progress(nil)
	err := s.Learner.Learn(ctx, s.task(), func(o milbench.Outcome) error {
		if o.Fit < 0 || o.Fit >= len(s.fits) || handed[o.Fit] {
			return fmt.Errorf("the learner handed over fit %d of %d out of range or twice", o.Fit, len(s.fits))
		}
		if o.Err != nil && ctx.Err() != nil {
			return ctx.Err() // stopped, not failed
		}
		handed[o.Fit] = true
		result, err := s.result(o)
		var curve Curve
		if err == nil && s.Curves {
			curve, err = s.curve(o)
		}
		if err != nil {
			failed(o.Fit, err)
			return nil
		}
		if s.Curves { // before the result, which says that the fit is finished
			err = s.file.appendCurve(curve)
		}
		if err == nil {
			err = s.file.Append(result)
		}
		if err != nil {
			s.fatal = err
			return err
		}
		s.summary.Done++
		s.progress(nil)
		return nil
	})
	switch {
	case s.fatal != nil:
		return append(errs, s.fatal)
	case ctx.Err() != nil:
		return errs
	case err != nil: // of the task as a whole; the fits handed over stay done
		if !strings.HasPrefix(err.Error(), s.set.Name+": ") {
			err = fmt.Errorf("%s: %w", s.set.Name, err)
		}
		errs = append(errs, err)
		for fit := range s.fits {
			if !handed[fit] {
				s.summary.Failed++
			}
		}
		return errs
	}
	for fit := range s.fits {
		if !handed[fit] {
			failed(fit, errors.New("the learner ended without it"))
		}
	}
	return errs
}

func (s *setStudy) progress(err error) {
	if s.Progress != nil {
		s.Progress(Progress{Summary: *s.summary, Set: s.set.Name, Err: err})
	}
}

// result returns the result of an outcome: the scores of the epoch that counts.
func (s *setStudy) result(o milbench.Outcome) (Result, error) {
	if o.Err != nil {
		return Result{}, o.Err
	}
	if len(o.Epochs) == 0 {
		return Result{}, errors.New("the learner returned no epoch")
	}
	fit, result := s.fits[o.Fit], s.results[o.Fit]
	result.WallS = o.Wall.Seconds()
	best := -1.0
	for _, e := range o.Epochs {
		validation, err := s.scored(fit.Validation, e.Validation)
		if err != nil {
			return Result{}, fmt.Errorf("epoch %d, validation part: %w", e.Number, err)
		}
		test, err := s.scored(fit.Test, e.Test)
		if err != nil {
			return Result{}, fmt.Errorf("epoch %d, test part: %w", e.Number, err)
		}
		better := true // the last epoch counts, unless scores choose
		switch s.Protocol.Name {
		case milbench.NestedProtocol:
			better, err = isBest(validation, &best)
		case milbench.PublishedProtocol, milbench.BestEpochProtocol:
			better, err = isBest(test, &best)
		}
		if err != nil {
			return Result{}, fmt.Errorf("epoch %d: %w", e.Number, err)
		}
		if better {
			for i := range validation {
				validation[i].Winners = nil
			}
			result.Epoch, result.Bags, result.Validation = e.Number, test, validation
		}
	}
	return result, result.Validate()
}

// isBest reports whether the AUC of bags exceeds the best so far, and keeps it there.
func isBest(bags []ScoredBag, best *float64) (bool, error) {
	auc, err := stats.AUC(labelsScores(bags))
	if err != nil || auc <= *best {
		return false, err
	}
	*best = auc
	return true, nil
}

// scored puts scores beside the bags that they are for.
func (s *setStudy) scored(bags []int, scores []milbench.BagScore) ([]ScoredBag, error) {
	if len(bags) != len(scores) {
		return nil, fmt.Errorf("the learner returned %d scores for %d bags", len(scores), len(bags))
	}
	var scored []ScoredBag
	for i, b := range bags {
		bag := &s.set.Bags[b]
		scored = append(scored, ScoredBag{ID: bag.ID, Label: bag.Label, Score: scores[i].Score, Winners: scores[i].Winners})
	}
	return scored, nil
}
