package milbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// Comparison says what is trained on which folds: every setting on every set under one protocol.
type Comparison struct {
	Sets     []*mil.Set
	Settings []json.RawMessage // see [Setting]; nil for the learners of milbench run without flags
	Protocol cv.Protocol       // without a name the honest one, with 2 repeats; without folds those of the set, or 10
	Seed     uint64            // of folds, initial weights and everything else that is random

	// Dir is the folder of the results. Fits that have results there are not trained again. Without a name the results are
	// not kept.
	Dir    string
	Curves bool // keep the values of each epoch, too

	Learner learner.Learner // trains instead of the learners of the machine; may be nil

	Version, Revision string // of the program, written into every result

	Note     func(string)       // gets one line for each learner that is left out; may be nil
	Progress func(run.Progress) // may be nil
}

// Compared has the results of a comparison.
type Compared struct {
	Results []results.Result
	Curves  []results.Curve
	Table   results.Table
}

// Runs returns one run for each set, without a learner. Learners that cannot learn a set are left out of its run, and so are
// those that choose by inner folds if the protocol has none.
func (c Comparison) Runs() (runs []run.Run, err error) {
	if c.Protocol.Name == "" {
		c.Protocol = cv.Protocol{Name: cv.HonestProtocol, Folds: c.Protocol.Folds, Repeats: cmp.Or(c.Protocol.Repeats, LineupRepeats)}
	}
	if c.Settings == nil {
		if c.Settings, err = Lineup(c.Protocol.Name == cv.NestedProtocol); err != nil {
			return nil, err
		}
	}
	for _, set := range c.Sets {
		protocol, list := c.Protocol.On(set), c.Settings
		if protocol.Name == cv.NestedProtocol && protocol.Inner == 0 {
			list = slices.DeleteFunc(slices.Clone(list), func(s json.RawMessage) bool { return learners.Candidates(s) != nil })
		}
		list, refused, err := Able(set, list)
		if err != nil {
			return nil, err
		}
		for _, why := range refused {
			if c.Note != nil {
				c.Note(why + "; it is left out")
			}
		}
		if err := protocol.Validate(); err != nil {
			return nil, err
		}
		runs = append(runs, run.Run{Sets: []*mil.Set{set}, Protocol: protocol, Settings: list, Seed: c.Seed, Dir: c.Dir, Curves: c.Curves,
			Version: c.Version, Revision: c.Revision, Progress: c.Progress})
	}
	return runs, nil
}

// Compare trains what has no results yet, on folds that all settings share, and returns the results of this comparison. The
// error of failed fits is a [*FailedError], and the others are returned with it. If the context ends, finished fits are kept,
// and the same comparison goes on from there.
func Compare(ctx context.Context, c Comparison, m *Machine) (found Compared, err error) {
	if c.Dir == "" {
		if c.Dir, err = os.MkdirTemp("", "milbench-"); err != nil {
			return found, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(c.Dir)) }()
	}
	runs, err := c.Runs()
	if err != nil {
		return found, err
	}
	missing, wanted := 0, make(map[string]bool)
	for i := range runs {
		runs[i].Learner = learners.All(neural.Trainer{}, learners.Resources{}) // only to see whether it can learn the settings
		pending, err := runs[i].Pending()
		if err != nil {
			return found, err
		}
		missing += len(pending[0].Task.Fits)
		for _, id := range pending[0].IDs {
			wanted[id] = true
		}
	}
	if missing == 0 {
		return found, found.read(c, wanted)
	}
	if err := c.equip(runs, m); err != nil {
		return found, err
	}
	sum, err := run.DoAll(ctx, runs)
	if err != nil && sum.Failed == 0 {
		return found, err
	}
	if sum.Failed > 0 {
		err = &FailedError{sum, err}
	}
	return found, errors.Join(err, found.read(c, wanted))
}

// equip says what trains the runs.
func (c Comparison) equip(runs []run.Run, m *Machine) error {
	all, cores, name := c.Learner, 0, ""
	if all == nil {
		choice, err := m.Backend()
		if err != nil {
			return err
		}
		var trainer neural.Trainer
		if all, trainer, err = m.Learner(); err != nil {
			return err
		}
		cores, name = trainer.Workers, choice.Config
	}
	for i := range runs {
		runs[i].Learner, runs[i].Cores, runs[i].Backend = all, cores, name
	}
	return nil
}

// FailedError says that some fits have failed three times. The next comparison tries them again.
type FailedError struct {
	run.Summary
	Err error // of all of them, one line each
}

func (f *FailedError) Error() string { return f.Err.Error() }

// read reads the wanted fits from the folder of the results.
func (c *Compared) read(from Comparison, wanted map[string]bool) (err error) {
	if c.Results, err = results.Read(from.Dir); err != nil {
		return err
	}
	c.Results = slices.DeleteFunc(c.Results, func(r results.Result) bool { return !wanted[r.Fit] })
	if from.Curves {
		if c.Curves, err = results.ReadCurves(from.Dir); err != nil {
			return err
		}
		c.Curves = slices.DeleteFunc(c.Curves, func(r results.Curve) bool { return !wanted[r.Fit] })
	}
	c.Table, err = results.Tabulate(c.Results)
	return err
}
