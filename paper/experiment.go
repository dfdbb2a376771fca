package paper

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// Experiment is a question, and the runs that answer it.
type Experiment struct {
	Name     string
	Question string
	Paper    string // tables and figures of the Syn paper that it repeats; "" for our own questions
	Figures  []string
	Full     Form
	Quick    Form // a part of it, in under two minutes on two cores with XLA
}

// Form is one size of an experiment.
type Form struct {
	Arms  []Arm
	Time  time.Duration // approximate, on two cores with XLA
	Scope string        // what the numbers rest on: sets, folds, repeats

	Spaces bool // also keep the positions of instances and bags ([KeepSpaces])
}

// Arm is a list of settings that run on sets under one protocol.
type Arm struct {
	Sets     []string // names in the catalogue
	Change   Change   // what is done to them first
	Protocol cv.Protocol
	Settings []json.RawMessage
	Curves   bool // keep what changes from epoch to epoch: losses and winners
}

// ErrUnknownExperiment reports that no experiment has the given name.
var ErrUnknownExperiment = errors.New("no study")

// FindExperiment returns the experiment with the given name. The error for an unknown name wraps [ErrUnknownExperiment]
// and suggests the nearest name.
func FindExperiment(name string) (Experiment, error) {
	var names []string
	for _, e := range Experiments {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	if near := spelling.Nearest(strings.ToLower(name), names); near != "" {
		return Experiment{}, fmt.Errorf("%w %q; did you mean %s?", ErrUnknownExperiment, name, near)
	}
	return Experiment{}, fmt.Errorf("%w %q; `milbench study list` shows all", ErrUnknownExperiment, name)
}

// Sets returns the names of the sets of a form in order, without duplicates.
func (f Form) Sets() []string {
	var names []string
	for _, a := range f.Arms {
		for _, s := range a.Sets {
			if !slices.Contains(names, s) {
				names = append(names, s)
			}
		}
	}
	return names
}

// Only returns the form restricted to the given sets, at least one. A set that is not in the form is an error.
func (f Form) Only(sets ...string) (Form, error) {
	all := f.Sets()
	if len(sets) == 0 {
		return Form{}, fmt.Errorf("no sets; those of this study are %s", strings.Join(all, ", "))
	}
	for _, s := range sets {
		if !slices.Contains(all, s) {
			return Form{}, fmt.Errorf("%q is no set of this study; its sets are %s", s, strings.Join(all, ", "))
		}
	}
	arms := f.Arms
	f.Arms = nil
	for _, a := range arms {
		a.Sets = slices.DeleteFunc(slices.Clone(a.Sets), func(s string) bool { return !slices.Contains(sets, s) })
		if len(a.Sets) > 0 {
			f.Arms = append(f.Arms, a)
		}
	}
	return f, nil
}

// fitOf identifies the fits that a form repeats: a set of the catalogue, a protocol and a canonical setting.
type fitOf struct{ set, protocol, config string }

// holds returns a function that reports whether a result belongs to the form, on the form's sets, changed or unchanged.
func (f Form) holds() (func(results.Result) bool, error) {
	type size struct{ folds, repeats int }
	sizes := make(map[fitOf]size)
	for _, a := range f.Arms {
		for _, name := range a.Sets {
			entry, err := dataset.Find(name)
			if err != nil {
				return nil, err
			}
			for _, s := range a.Settings {
				config, err := cv.CanonicalSetting(s)
				if err != nil {
					return nil, err
				}
				key := fitOf{name, a.Protocol.Name, string(config)}
				sizes[key] = size{cmp.Or(a.Protocol.Folds, entry.Folds), max(a.Protocol.Repeats, 1, sizes[key].repeats)}
			}
		}
	}
	sets := f.Sets()
	return func(r results.Result) bool {
		config, err := cv.CanonicalSetting(r.Config)
		i := slices.IndexFunc(sets, func(name string) bool { return isOf(r.Set, name) })
		if err != nil || i < 0 {
			return false
		}
		s, known := sizes[fitOf{sets[i], r.Protocol, string(config)}]
		return known && r.Repeat < s.repeats && (r.Folds == s.folds || r.Folds == 1) // an official split is one fold
	}, nil
}

// foldsRun returns how many folds of each repeat an arm runs on a set of the catalogue: one for an official split and
// for the published protocol, otherwise all.
func (a Arm) foldsRun(entry dataset.Entry) int {
	if entry.TrainBags > 0 || a.Protocol.Name == cv.PublishedProtocol {
		return 1
	}
	return cmp.Or(a.Protocol.Folds, entry.Folds)
}

// isOf reports whether a set is the named one of the catalogue, changed or unchanged: see [Change].
func isOf(set, name string) bool {
	rest, found := strings.CutPrefix(set, name)
	return found && (rest == "" || strings.ContainsAny(rest[:1], " -+"))
}

// Missing is a set of a form that has not been fetched.
type Missing struct {
	Set string
	Err error // says how to fetch it
}

// Runs returns the runs of a form, one per arm and set, which use learner and write to the folder dir. Start them
// together with [run.DoAll]. Sets that have not been fetched have no runs and are returned as missing; if none has been
// fetched, that is an error.
func (f Form) Runs(dir string, learner learner.Learner, seed uint64) (runs []run.Run, missing []Missing, err error) {
	absent, all := make(map[string]bool), make(sets)
	for _, a := range f.Arms {
		for _, name := range a.Sets {
			if absent[name] {
				continue
			}
			r, err := a.run(all, name, seed)
			if errors.Is(err, dataset.ErrNotFetched) {
				absent[name] = true
				missing = append(missing, Missing{name, err})
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			r.Dir, r.Learner = dir, learner
			runs = append(runs, r)
		}
	}
	if len(runs) == 0 && len(missing) > 0 {
		return nil, missing, fmt.Errorf("none of the sets of this study is there: %w", missing[0].Err)
	}
	return runs, missing, nil
}

// run returns the run of an arm on one set.
func (a Arm) run(all sets, name string, seed uint64) (run.Run, error) {
	entry, err := dataset.Find(name)
	if err != nil {
		return run.Run{}, err
	}
	r := run.Run{Base: name, Protocol: a.Protocol, Settings: a.Settings, Seed: seed, Curves: a.Curves, Winners: a.Curves}
	if r.Protocol.Folds == 0 {
		r.Protocol.Folds = entry.Folds
	}
	set, err := a.Change.apply(all, name, seed)
	if err != nil {
		return run.Run{}, err
	}
	r.Sets = []*mil.Set{set}
	return r, nil
}

// must returns a setting of an experiment. An invalid one is a bug of this package and panics.
func must[T any](setting T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("paper: a setting of an experiment: %v", err))
	}
	return setting
}

// texts returns settings as JSON.
func texts(configs []neural.Config) (list []json.RawMessage) {
	for _, c := range configs {
		list = append(list, must(json.Marshal(c)))
	}
	return list
}

// settings returns the settings of grids as JSON.
func settings(grids ...neural.Grid) (list []json.RawMessage) {
	for _, g := range grids {
		for _, text := range texts(must(g.Configs())) {
			if !slices.ContainsFunc(list, func(other json.RawMessage) bool { return string(other) == string(text) }) {
				list = append(list, text)
			}
		}
	}
	return list
}
