package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/localise"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// Run is a study: every setting on every set under one protocol.
type Run struct {
	Sets     []*mil.Set
	Protocol cv.Protocol
	Settings []json.RawMessage // JSON objects
	Seed     uint64
	Learner  learner.Learner
	Dir      string // results folder

	// Cores is the number of cores that the learner uses, for [results.Time]; 0 means all.
	Cores int

	// Base, if set, names the source that several sets are made from; see [DoAll].
	Base string

	// Curves asks for a curve of every fit ([results.Curve]). It does not change the results, nor the choice of
	// epochs.
	Curves bool

	// Winners asks for [results.Curve.Changes], too.
	Winners bool

	// Shard is the part of the fits to run; the zero value stands for all.
	Shard Shard

	// Finished has the ids of fits with results in other folders. They are skipped.
	Finished map[string]bool

	// Written into every result.
	Backend, Version, Revision string

	// Progress, if set, is called before the first fit of each set and after every fit. Calls do not overlap.
	Progress func(Progress)
}

// Shard is part Index, from 0, of Count parts of the fits of a study. A fit's part depends on a hash of what it is trained
// on: the source of its set, its seed and its setting. So fits that are trained once for several sets ([DoAll]) stay
// together, and more fits do not move others. Parts have about equally many fits, not equal costs.
type Shard struct{ Index, Count int }

func (s Shard) has(source string, seed uint64, setting []byte) bool {
	if s.Count < 2 {
		return true
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "[%q,%d,%s]", source, seed, setting))
	return binary.BigEndian.Uint64(sum[:8])%uint64(s.Count) == uint64(s.Index)
}

// Progress is the state of a run.
type Progress struct {
	Summary
	Set string // set of the fit that has just ended, or of the fit about to begin
	Err error  // why that fit failed

	// Share is the part of the work of this run that is done, as estimated by the time of fits that have ended and the learner's plan for
	// the others. It is 0 before a fit has ended, and if the learner cannot plan.
	Share float64

	Result *results.Result // of the fit that has just ended; nil if it failed or none has ended yet
}

// Summary counts the fits of a run.
type Summary struct {
	Total   int // fits requested
	Skipped int // fits with results already in the folder
	Done    int // finished by this run
	Failed  int // failed three times in this run; the next run tries them again

	Curveless int // skipped fits that lack a requested curve
}

// Pending is the work left on one set.
type Pending struct {
	Total int      // fits requested
	IDs   []string // of all of them
	Task  cv.Task  // task with the fits that have no results in the folder yet
}

// Pending returns what Do would do on each set. It writes nothing. A missing folder counts as empty.
func (r Run) Pending() ([]Pending, error) {
	var sum account
	studies, err := r.studies(&sum)
	if err != nil {
		return nil, err
	}
	known, err := results.Read(r.Dir)
	if err != nil && !errors.Is(err, results.ErrNoResults) {
		return nil, err
	}
	finished := make(map[string]bool)
	for _, r := range known {
		finished[r.Fit] = true
	}
	var pending []Pending
	for _, s := range studies {
		if err := s.skip(finished, nil); err != nil {
			return nil, err
		}
		pending = append(pending, Pending{Total: len(s.ids), IDs: s.ids, Task: s.task()})
	}
	return pending, nil
}

// Do runs the fits that have no results in the folder yet and appends each result when it is ready. The learner gets
// all missing fits of a set at once. A fit that fails is tried twice more. If it fails three times, the run continues
// and the errors of all failed fits are joined at the end.
//
// If the context is cancelled, Do returns its error. If a file cannot be written, it returns that error
// ([results.ErrDiskFull]). In both cases results so far are kept. Invalid input is reported before anything is
// written.
func (r Run) Do(ctx context.Context) (Summary, error) { return DoAll(ctx, []Run{r}) }

// DoAll performs several runs into one folder, like [Run.Do] for each; it uses the Progress of the first. The results
// are the same as from separate runs, but work is shared. The learner of the first run gets the missing fits of all
// sets with the same Base and number of features at once. Fits that differ only in the bags they score, or in whether
// every epoch is scored, are trained once.
func DoAll(ctx context.Context, runs []Run) (Summary, error) {
	var sum account
	err := doAll(ctx, runs, &sum)
	return sum.Summary, err
}

func doAll(ctx context.Context, runs []Run, sum *account) error {
	var studies []*setStudy
	curved := false
	for i := range runs {
		if runs[i].Dir != runs[0].Dir {
			return fmt.Errorf("runs into %s and into %s; one folder is needed", runs[0].Dir, runs[i].Dir)
		}
		more, err := runs[i].studies(sum)
		if err != nil {
			return err
		}
		studies = append(studies, more...)
		curved = curved || runs[i].Curves
	}
	if len(studies) == 0 {
		return errors.New("no runs")
	}
	file, err := results.Open(runs[0].Dir)
	if err != nil {
		return err
	}
	var curves map[string]bool
	if curved {
		if curves, err = file.OpenCurves(); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	start := time.Now()
	finished := file.Finished()
	for _, s := range studies {
		s.file = file
		if err := s.skip(finished, curves); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	parts := combine(studies)
	for _, together := range parts {
		if !together.plan() {
			sum.all = nil // some without the others would mean nothing
			break
		}
	}
	var errs []error
	for _, together := range parts {
		var failed []error
		if ctx.Err() == nil {
			failed, err = together.learn(ctx, runs[0].Progress)
			errs = append(errs, failed...)
		}
		if err != nil { // the file could not be written
			errs = append(errs, err)
			break
		}
		if err := ctx.Err(); err != nil && sum.Skipped+sum.Done+sum.Failed < sum.Total {
			errs = append(errs, fmt.Errorf("stopped, %d of %d results kept: %w", sum.Skipped+sum.Done, sum.Total, err))
			break
		}
	}
	if sum.Done > 0 && !errors.Is(errors.Join(errs...), results.ErrDiskFull) {
		errs = append(errs, runs[0].AppendTime(sum.Done, 0, time.Since(start)))
	}
	return errors.Join(append(errs, file.Close())...)
}

// studies returns the fits that the run asks for on each set.
func (r *Run) studies(sum *account) ([]*setStudy, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	var studies []*setStudy
	for _, s := range r.Sets {
		fits, err := r.Protocol.Fits(s, r.Settings, r.Seed)
		if err != nil {
			return nil, err
		}
		truth, err := instanceTruth(s)
		if err != nil {
			return nil, err
		}
		for i := range fits {
			fits[i].EveryEpoch = fits[i].EveryEpoch || r.Curves
			fits[i].Winners = r.Winners
			fits[i].Instances = truth != nil
		}
		studies = append(studies, &setStudy{Run: r, set: s, truth: truth, labels: localise.Checksum(truth), summary: sum, fits: fits})
	}
	return studies, nil
}

// AppendTime records how long fits or spaces of the run took.
func (r Run) AppendTime(fits, spaces int, took time.Duration) error {
	return results.AppendTime(r.Dir, results.Time{Fits: fits, Spaces: spaces, Seconds: float64(took.Round(time.Millisecond)) / float64(time.Second),
		Cores: cmp.Or(r.Cores, runtime.NumCPU()), Backend: r.Backend, Version: r.Version, Revision: r.Revision})
}

// Validate returns an error for invalid input that the protocol does not check.
func (r Run) Validate() error {
	if len(r.Sets) == 0 {
		return errors.New("no sets to run on")
	}
	configs := make(map[string]bool)
	for _, setting := range r.Settings {
		config, err := cv.CanonicalSetting(setting)
		if err != nil {
			return err
		}
		if configs[string(config)] {
			return fmt.Errorf("setting %s occurs twice", config)
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

// setStudy has the fits of one set.
type setStudy struct {
	*Run
	set     *mil.Set
	truth   []localise.Bag // labels of instances, by bag; nil if they are not judged
	labels  string         // checksum of truth
	summary *account
	file    *results.File
	fits    []cv.Fit // requested
	ids     []string // of the fits requested
	missing []missing
}

// missing is a fit without a result.
type missing struct {
	cv.Fit
	result   results.Result // without scores
	returned bool           // its outcome has arrived
	kept     bool           // its result is in the file
	cost     float64        // planned seconds of a core
	work     *work          // of all fits with its setting
	before   []*float64     // planned seconds of what its groups need before their first fit, such as compiling; 0 once one has ended
}

// progress returns the state of the run.
func (s *setStudy) progress() Progress {
	return Progress{Summary: s.summary.Summary, Share: s.summary.share(), Set: s.set.Name}
}

// skip finds the fits of the shard that are not finished; curves has the fits with a curve.
func (s *setStudy) skip(finished, curves map[string]bool) error {
	cut, run := s.Protocol.FoldsOf(s.set)
	splits := ""
	if s.Protocol.Splits != nil {
		splits = s.Protocol.Splits.Sum()
	}
	for _, fit := range s.fits {
		config, err := cv.CanonicalSetting(fit.Setting)
		if err != nil {
			return err
		}
		result := results.Result{
			Set: s.set.Name, Checksum: s.set.Checksum,
			Protocol: s.Protocol.Name, Folds: cut, FoldsRun: run, Inner: s.Protocol.Inner, Splits: splits, Shots: s.Protocol.Shots, Repeat: fit.Repeat, Fold: fit.Fold, Seed: s.Seed,
			Config: config, Target: s.set.Kind, Classes: s.set.Classes,
			Leaked: s.set.Leaked, Optimistic: s.Protocol.Optimistic(),
			Backend: s.Backend, Version: s.Version, Revision: s.Revision,
		}
		if result.Fit, err = result.ID(); err != nil {
			return err
		}
		if !s.Shard.has(cmp.Or(s.Base, s.set.Checksum), fit.Seed, config) {
			continue
		}
		s.ids = append(s.ids, result.Fit)
		s.summary.Total++
		if s.Finished[result.Fit] {
			s.summary.Skipped++
			continue
		}
		if finished[result.Fit] {
			s.summary.Skipped++
			if s.Curves && !curves[result.Fit] {
				s.summary.Curveless++
			}
			continue
		}
		s.missing = append(s.missing, missing{Fit: fit, result: result})
	}
	return nil
}

// task returns the task for the learner.
func (s *setStudy) task() cv.Task {
	var fits []cv.Fit
	for _, m := range s.missing {
		fits = append(fits, m.Fit)
	}
	return cv.NewTask(s.set, fits)
}

// keep appends the result of an outcome to the file. failed is the error of the fit, err that of writing the file.
func (s *setStudy) keep(o learner.Outcome) (kept *results.Result, failed, err error) {
	s.missing[o.Fit].returned = true
	result, err := s.result(o)
	var curve results.Curve
	if err == nil && s.Curves {
		curve, err = s.curve(o)
	}
	if err != nil {
		return nil, s.failed(o.Fit, err), nil
	}
	if s.Curves { // before the result, which marks the fit as finished
		if err := s.file.AppendCurve(curve); err != nil {
			return nil, nil, err
		}
	}
	if err := s.file.Append(result); err != nil {
		return nil, nil, err
	}
	s.missing[o.Fit].kept = true
	s.summary.Done++
	s.spend(o.Fit, o.Wall.Seconds())
	return &result, nil, nil
}

// failed returns the error for a failed fit.
func (s *setStudy) failed(fit int, err error) error {
	r := s.missing[fit].result
	return fmt.Errorf("%s: repeat %d, fold %d, seed %d, %s: %w", r.Set, r.Repeat+1, r.Fold+1, r.Seed, shortened(r.Config), err)
}

// shortened returns a setting for messages. The candidates of a portfolio would fill pages, so it cuts them.
func shortened(config json.RawMessage) string {
	const most = 300
	if len(config) <= most {
		return string(config)
	}
	return string(config[:most]) + "..."
}

// result returns the result of an outcome, with the scores of the chosen epoch.
func (s *setStudy) result(o learner.Outcome) (results.Result, error) {
	if o.Err != nil {
		return results.Result{}, o.Err
	}
	if len(o.Epochs) == 0 {
		return results.Result{}, errors.New("the learner returned no epoch")
	}
	fit, result := s.missing[o.Fit].Fit, s.missing[o.Fit].result
	result.WallS, result.Portfolio = o.Wall.Seconds(), o.Portfolio
	best := math.Inf(-1)
	for _, e := range o.Epochs {
		validation, err := s.held(fit, e)
		if err != nil {
			return results.Result{}, fmt.Errorf("epoch %d, validation part: %w", e.Number, err)
		}
		test, err := s.scored(fit.Test, e.Test)
		if err != nil {
			return results.Result{}, fmt.Errorf("epoch %d, test part: %w", e.Number, err)
		}
		better := true // use the last epoch, unless scores choose one
		switch s.Protocol.Name {
		case cv.NestedProtocol:
			var inside results.Inside
			if inside, err = results.InsideOf(s.set.Kind, len(s.set.Classes), validation); err == nil {
				better, best = inside.Figure > best, max(best, inside.Figure)
			}
		case cv.PublishedProtocol, cv.BestEpochProtocol:
			var figure float64
			if figure, err = results.Figure(s.set.Kind, len(s.set.Classes), test); err == nil {
				better, best = figure > best, max(best, figure)
			} else if stats.Undefined(err) {
				err = nil
			}
		}
		if err != nil {
			return results.Result{}, fmt.Errorf("epoch %d: %w", e.Number, err)
		}
		if better {
			for i := range validation {
				validation[i].Winners, validation[i].Survival = nil, nil
			}
			result.Epoch, result.Bags, result.Validation = e.Number, test, validation
			if result.Localised, err = s.localised(fit, e.Test); err == nil {
				result.Group, err = s.groupFigure(fit, test)
			}
			if result.InstanceAUC = nil; result.Localised != nil {
				auc := result.Localised.MeanAUC()
				result.InstanceAUC = &auc
			}
			if err == nil && s.set.Kind == mil.BinaryTarget {
				result.MemberAUC, err = memberAUC(test, e.Test)
			}
			if err != nil {
				return results.Result{}, fmt.Errorf("epoch %d: %w", e.Number, err)
			}
		}
	}
	return result, result.Validate()
}

// memberAUC returns the AUC of each member of an ensemble, or nil for a single model.
func memberAUC(bags []results.ScoredBag, scores []mil.Prediction) (aucs []float64, err error) {
	labels, values := results.LabelsScores(bags)
	for m := range scores[0].Members {
		for i, p := range scores {
			if len(p.Members) != len(scores[0].Members) {
				return nil, fmt.Errorf("bag %s has the scores of %d members, the first bag those of %d", bags[i].ID, len(p.Members), len(scores[0].Members))
			}
			values[i] = p.Members[m][0]
		}
		auc, err := stats.AUC(labels, values)
		if err != nil {
			return nil, err
		}
		aucs = append(aucs, auc)
	}
	return aucs, nil
}

// held combines scores with the bags held out of the training part, and records the inner fold of each bag.
func (s *setStudy) held(fit cv.Fit, e learner.Epoch) ([]results.ScoredBag, error) {
	bags, err := s.scored(fit.HeldOut(), e.Validation)
	at := 0
	for k, part := range fit.Inner {
		for range part {
			if at < len(bags) {
				bags[at].Part = k + 1
			}
			at++
		}
	}
	return bags, err
}

// scored combines scores with their bags.
func (s *setStudy) scored(bags []int, scores []mil.Prediction) ([]results.ScoredBag, error) {
	if len(bags) != len(scores) {
		return nil, fmt.Errorf("the learner returned %d scores for %d bags", len(scores), len(bags))
	}
	var scored []results.ScoredBag
	for i, b := range bags {
		bag := &s.set.Bags[b]
		scored = append(scored, results.ScoredBag{ID: bag.ID, Target: bag.Target, Scores: scores[i].Scores, Survival: scores[i].Survival, Winners: scores[i].Winners})
	}
	return scored, nil
}
