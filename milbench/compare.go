package milbench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"synpool/backend"
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
	Protocol cv.Protocol       // without a name the honest one, without repeats 2 or those of Splits, without folds those of the set, or 10; of the published one 1 and 4
	Seed     uint64            // of folds, initial weights and everything else that is random; milbench run has 1

	// Dir is the folder of the results. Fits that have results there are not trained again, also after a comparison that was
	// stopped. Without a name the results are not kept.
	Dir    string
	Curves bool // keep the values of each epoch, too, for fits that are trained now

	Learner learner.Learner // trains instead of the learners of the machine; may be nil

	Version, Revision string // of the program, written into every result

	Note     func(string)       // gets one line for each learner that is left out or changed; may be nil
	Progress func(run.Progress) // may be nil
}

// Compared has the results of a comparison.
type Compared struct {
	Results []results.Result
	Curves  []results.Curve // of the fits that have one
	Table   results.Table
}

// defaults fills in what a protocol leaves out.
func defaults(p cv.Protocol) cv.Protocol {
	p.Name = cmp.Or(p.Name, cv.HonestProtocol)
	if p.Repeats == 0 {
		switch p.Repeats = LineupRepeats; {
		case p.Name == cv.PublishedProtocol:
			p.Repeats = cv.Published().Repeats
		case p.Splits != nil:
			p.Repeats = len(p.Splits.Tested)
		}
	}
	if p.Folds == 0 && p.Name == cv.PublishedProtocol {
		p.Folds = cv.Published().Folds
	}
	return p
}

// Runs returns one run for each set, without a learner. Learners that cannot learn a set are left out of its run.
func (c Comparison) Runs() (runs []run.Run, err error) {
	if len(c.Sets) == 0 {
		return nil, errors.New("no sets to compare learners on")
	}
	for i, set := range c.Sets {
		if k := slices.IndexFunc(c.Sets[:i], func(other *mil.Set) bool { return other.Checksum == set.Checksum }); k >= 0 {
			return nil, fmt.Errorf("%s holds the same bags as %s; name one of them", set.Name, c.Sets[k].Name)
		}
	}
	c.Protocol = defaults(c.Protocol)
	given := c.Settings != nil
	nested := c.Protocol.Name == cv.NestedProtocol
	portfolio := func(s json.RawMessage) bool { return nested && c.Protocol.Inner == 0 && learners.Candidates(s) != nil }
	if slices.ContainsFunc(c.Settings, portfolio) {
		return nil, fmt.Errorf("--inner 0: %s chooses by inner folds; give 2 or more, or leave %[1]s out", learners.AutoName)
	}
	for _, setting := range c.Settings {
		if c.Learner == nil {
			if err := valid(setting); err != nil {
				return nil, err
			}
		}
	}
	for _, set := range c.Sets {
		protocol, settings := c.Protocol.On(set), c.Settings
		if !given {
			if settings, err = Lineup(set, nested); err != nil {
				return nil, err
			}
			settings = slices.DeleteFunc(settings, portfolio)
			if preset := neural.PresetFor(set); preset != neural.SmallPreset {
				c.note("%s: networks have the preset %s: its bags have %d instances on average", set.Name, preset, set.NumInstances()/len(set.Bags))
			}
		}
		list, refused, err := able(set, settings)
		if err != nil {
			return nil, err
		}
		for _, why := range refused {
			c.note("%s; it is left out", why)
		}
		if err := protocol.Validate(); err != nil {
			return nil, err
		}
		if c.Protocol.Folds == 0 && c.Protocol.Splits == nil && set.Folds == 0 && protocol.Folds < cv.Honest().Folds {
			c.note("%s: %d folds: a class has no more bags or groups", set.Name, protocol.Folds)
		}
		list, notes, err := learners.Affordable(list, set, given)
		if err != nil {
			return nil, err
		}
		for _, name := range slices.Sorted(maps.Keys(notes)) {
			c.note("%s: %s", set.Name, notes[name])
		}
		runs = append(runs, run.Run{Sets: []*mil.Set{set}, Protocol: protocol, Settings: list, Seed: c.Seed, Dir: c.Dir, Curves: c.Curves,
			Version: c.Version, Revision: c.Revision, Progress: c.Progress})
	}
	return runs, nil
}

func (c Comparison) note(format string, args ...any) {
	if c.Note != nil {
		c.Note(fmt.Sprintf(format, args...))
	}
}

// valid reports a setting that no learner takes: an unknown name, or a wrong or missing hyperparameter.
func valid(setting json.RawMessage) error {
	n, of, err := learners.Members(setting)
	switch {
	case err != nil:
		return err
	case n > 0:
		return valid(of)
	}
	for k, candidate := range learners.Candidates(setting) {
		if err := valid(candidate); err != nil {
			return fmt.Errorf("candidate %d: %w", k+1, err)
		}
	}
	if learners.Candidates(setting) != nil {
		return nil
	}
	if name, _ := cv.NameOf(setting); name != "" {
		if entry, err := learners.Find(name); err == nil {
			_, err := entry.Parse(setting)
			return err
		}
	}
	var config neural.Config
	if err := json.Unmarshal(setting, &config); err != nil {
		return fmt.Errorf("setting %.100s: %w", setting, err)
	}
	return config.Validate()
}

// Compare trains what has no results yet, on folds that all settings share, and returns the results of this comparison. What
// cannot be learnt is refused before anything is trained. The error of failed fits is a [*FailedError]. With any error, also if
// the context ends, the results that are there are returned, and those in Dir are kept: the same comparison goes on from there.
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
	var tasks []cv.Task // with fits that are missing
	wanted := make(map[string]bool)
	for i := range runs {
		pending, err := runs[i].Pending()
		if err != nil {
			return found, err
		}
		if task := pending[0].Task; len(task.Fits) > 0 {
			tasks = append(tasks, task)
		}
		for _, id := range pending[0].IDs {
			wanted[id] = true
		}
	}
	if len(tasks) == 0 {
		return found, found.read(c, wanted)
	}
	if err := c.equip(runs, tasks, m); err != nil {
		return found, err
	}
	sum, err := run.DoAll(ctx, runs)
	if sum.Failed > 0 {
		err = &FailedError{sum, err}
	}
	if unread := found.read(c, wanted); err == nil {
		err = unread
	}
	return found, err
}

// equip says what trains the runs, and refuses tasks that it cannot learn.
func (c Comparison) equip(runs []run.Run, tasks []cv.Task, m *Machine) error {
	m = m.or()
	all, workers, name := c.Learner, m.cores(), ""
	networked := slices.ContainsFunc(tasks, func(t cv.Task) bool {
		return slices.ContainsFunc(t.Fits, func(f cv.Fit) bool { return learners.Trainer{}.NeedsNetworks(f.Setting) })
	})
	switch {
	case all != nil:
	case networked:
		choice, err := m.Backend()
		if err != nil {
			return err
		}
		var trainer neural.Trainer
		if all, trainer, err = m.Learner(); err != nil {
			return err
		}
		workers, name = trainer.Workers, choice.Config
	default:
		all, name = learners.All(neural.Trainer{}, learners.Resources{Workers: workers, Memory: m.Memory}), backend.Likely()
	}
	for _, task := range tasks {
		if _, err := all.Plan(task); err != nil {
			return err
		}
	}
	for i := range runs {
		runs[i].Learner, runs[i].Cores, runs[i].Backend = all, workers, name
	}
	return nil
}

// FailedError says that some fits have failed three times. The next comparison tries them again.
type FailedError struct {
	run.Summary
	Err error // of all of them, and that of the context if it has ended
}

// Error says how many fits have failed, and why the first has.
func (f *FailedError) Error() string {
	first, _, _ := strings.Cut(f.Err.Error(), "\n")
	return fmt.Sprintf("%d of %d fits failed, and are tried again the next time; the first: %s", f.Failed, f.Total, first)
}

// Unwrap returns the errors of the fits.
func (f *FailedError) Unwrap() error { return f.Err }

// read reads the wanted fits from the folder of the results.
func (c *Compared) read(from Comparison, wanted map[string]bool) (err error) {
	if c.Results, err = results.Read(from.Dir); err != nil {
		return err
	}
	c.Results = slices.DeleteFunc(c.Results, func(r results.Result) bool { return !wanted[r.Fit] })
	if from.Curves {
		if c.Curves, err = results.ReadCurves(from.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		c.Curves = slices.DeleteFunc(c.Curves, func(r results.Curve) bool { return !wanted[r.Fit] })
	}
	c.Table, err = results.Tabulate(c.Results)
	return err
}
