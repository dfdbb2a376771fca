package learner

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// Entry describes a classical learner.
type Entry struct {
	Name    string // name in settings
	Summary string // description in one line

	// Default returns a pointer to a new estimator with the default hyperparameters.
	Default func() Estimator

	// Grid holds the settings to choose from with a validation part; if it is empty, there is only the default.
	Grid []Estimator

	// Model returns a pointer to a new model that the JSON of a fitted model can be decoded into; nil if models cannot
	// be saved. If it has a method Validate() error, that reports parts that do not fit together. Use [Entry.ReadModel]
	// to decode.
	Model func() Model

	// Logits says that scores of classes are logits, so that they give probabilities. Otherwise they only order bags.
	Logits bool

	// Key is the JSON key of the name in settings; empty means "learner".
	Key string

	// Code, if not empty, stands for the learner's code in its settings, so that results of other code are not taken for those of
	// this one.
	Code string
}

// Name returns the name of the learner of a setting, or "" if it has none ([cv.NameOf]).
func Name(setting json.RawMessage) string {
	name, _ := cv.NameOf(setting)
	return name
}

func (e Entry) key() string { return cmp.Or(e.Key, cv.LearnerKey) }

// Setting returns the setting of one of the entry's estimators.
func (e Entry) Setting(estimator Estimator) (json.RawMessage, error) {
	values, err := json.Marshal(estimator)
	if err != nil {
		return nil, fmt.Errorf("setting of %s: %w", e.Name, err)
	}
	if len(values) < 2 || values[0] != '{' {
		return nil, fmt.Errorf("setting of %s: a %T is no JSON object; use a struct of hyperparameters", e.Name, estimator)
	}
	setting := fmt.Appendf(nil, "{%q:%q", e.key(), e.Name)
	if e.Code != "" {
		setting = fmt.Appendf(setting, ",%q:%q", cv.CodeKey, e.Code)
	}
	if len(values) > 2 {
		setting = append(setting, ',')
	}
	return append(setting, values[1:]...), nil
}

// Settings returns the settings of the grid, or the default if there is no grid.
func (e Entry) Settings() (settings []json.RawMessage, err error) {
	grid := e.Grid
	if len(grid) == 0 {
		grid = []Estimator{e.Default()}
	}
	for _, estimator := range grid {
		setting, err := e.Setting(estimator)
		if err != nil {
			return nil, err
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

// Parse returns the estimator of a setting. A missing, unknown or invalid hyperparameter is an error.
func (e Entry) Parse(setting json.RawMessage) (Estimator, error) {
	estimator, err := e.parse(setting)
	if err != nil {
		return nil, fmt.Errorf("setting of %s: %w", e.Name, err)
	}
	return estimator, nil
}

func (e Entry) parse(setting json.RawMessage) (Estimator, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(setting, &values); err != nil {
		return nil, err
	}
	if name := Name(setting); name != e.Name {
		return nil, fmt.Errorf("%.100s is that of %q", setting, name)
	}
	var code string
	if err := json.Unmarshal(values[cv.CodeKey], &code); err == nil && code != e.Code {
		return nil, fmt.Errorf("its code or its default has changed since this setting was made (%s, now %s); train again", code, e.Code)
	}
	for _, key := range []string{cv.LearnerKey, cv.PoolingKey, cv.CodeKey} {
		delete(values, key)
	}
	estimator := e.Default()
	var all map[string]json.RawMessage // the required hyperparameters
	text, err := json.Marshal(reflect.New(reflect.TypeOf(estimator).Elem()).Interface())
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, err
	}
	bags, instances, err := sample(values, all)
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	for name := range all {
		if _, found := values[name]; !found {
			return nil, fmt.Errorf("%s is missing: %.100s", name, setting)
		}
	}
	d := json.NewDecoder(bytes.NewReader(rest))
	d.DisallowUnknownFields()
	if err := d.Decode(estimator); err != nil {
		known := slices.Collect(maps.Keys(all))
		for _, name := range slices.Sorted(maps.Keys(values)) {
			if near := spelling.Nearest(name, known); near != "" && near != name {
				return nil, fmt.Errorf("%w; did you mean %q?", err, near)
			}
		}
		return nil, err
	}
	if v, ok := estimator.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, err
		}
	}
	if bags+instances > 0 {
		return sampled{estimator, bags, instances}, nil
	}
	return estimator, nil
}

// Classical learns the settings of its entries. Each fit has one epoch, whatever [cv.Fit.EveryEpoch] says.
type Classical struct {
	Entries []Entry
	Workers int    // number of fits at a time, at least 1
	Memory  uint64 // memory limit of Learn in bytes, in addition to the bags; 0 means no limit
}

var _ Learner = Classical{}

// Learns reports whether a setting is meant for the entries: it has the key "learner", or the key and name of an entry.
func (l Classical) Learns(setting json.RawMessage) bool {
	name, key := cv.NameOf(setting)
	return key == cv.LearnerKey || key != "" && slices.ContainsFunc(l.Entries, func(e Entry) bool { return e.Name == name && e.key() == key })
}

// parse returns the estimator of a setting.
func (l Classical) parse(setting json.RawMessage) (Estimator, error) {
	name := Name(setting)
	var names []string
	for _, e := range l.Entries {
		if e.Name == name {
			return e.Parse(setting)
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("there is no learner %q; %s", name, spelling.Hint(name, names))
}

// CheckSetting reports an invalid setting: an unknown learner or an invalid hyperparameter.
func (l Classical) CheckSetting(setting json.RawMessage) error {
	_, err := l.parse(setting)
	return err
}

// training returns the training part of a fit.
func training(task cv.Task, fit cv.Fit) Training {
	t := Training{Kind: task.Kind, Classes: task.Classes, Seed: fit.Seed}
	for _, e := range fit.Train {
		t.Bags, t.Targets = append(t.Bags, task.Bags[e.Bag]), append(t.Targets, e.Target)
	}
	return t
}

// processMemory is the memory of a process without its fits, in bytes.
const processMemory = 60e6

// valuesPerSecond is the number of training values that a fit processes per second, for estimators that do not estimate
// their cost.
const valuesPerSecond = 1e7

// Takes returns what the entry can learn.
func (e Entry) Takes() Takes {
	t := Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
	if own, ok := e.Default().(interface{ Takes() Takes }); ok {
		t = own.Takes()
	}
	t.Name = e.Name
	return t
}

// Takes implements [Learner]. It returns what any entry takes; Plan and Learn check the entry of each fit.
func (l Classical) Takes() Takes {
	var all Takes
	for _, e := range l.Entries {
		t := e.Takes()
		for _, k := range t.Kinds {
			if !slices.Contains(all.Kinds, k) {
				all.Kinds = append(all.Kinds, k)
			}
		}
		all.Dense, all.Sparse = all.Dense || t.Dense, all.Sparse || t.Sparse
	}
	return all
}

// Check returns an error if a fit asks for an entry that cannot learn the task.
func (l Classical) Check(task cv.Task) error {
	asked := map[string][]json.RawMessage{}
	for _, fit := range task.Fits {
		name := Name(fit.Setting)
		asked[name] = append(asked[name], fit.Setting)
	}
	for _, e := range l.Entries {
		if len(asked[e.Name]) == 0 {
			continue
		}
		t := e.Takes()
		if !slices.ContainsFunc(asked[e.Name], func(s json.RawMessage) bool { return e.Instances(s) > t.MaxInstances }) {
			t.MaxInstances = 0
		}
		if err := t.Check(task); err != nil {
			return err
		}
	}
	return nil
}

// cost returns the estimated cost of a fit on training bags.
func cost(estimator Estimator, bags []mil.Instances) Cost {
	if e, ok := estimator.(interface {
		Cost(bags []mil.Instances) Cost
	}); ok {
		return e.Cost(bags)
	}
	values := 0
	for _, b := range bags {
		values += b.Len() * b.Features()
	}
	return Cost{Seconds: float64(values) / valuesPerSecond}
}

// job is a list of fits that are learnt one after another because they share something.
type job struct {
	fits    []int // indices in the task
	shared  *Shared
	refused map[int]error // why some fits are not learnt
}

// shares reports whether fits of an estimator share something. The string is equal for estimators that share the same.
func shares(estimator Estimator) (string, bool) {
	if s, ok := estimator.(sampled); ok {
		of, ok := shares(s.Estimator)
		return fmt.Sprintf("%s, %d instances", of, s.instances), ok && s.bags == 0
	}
	if e, ok := estimator.(interface{ Shares() string }); ok {
		return e.Shares(), true
	}
	return "", false
}

// jobs returns the jobs of a task, in the order of their first fits. Fits are in the same job if their estimators share
// the same and if their training parts, including what is held out of them, have the same bags.
func (l Classical) jobs(task cv.Task) (all []job) {
	at := make(map[string]int)
	for i, fit := range task.Fits {
		estimator, err := l.parse(fit.Setting)
		if err != nil {
			all = append(all, job{fits: []int{i}})
			continue
		}
		share, ok := shares(estimator)
		if !ok {
			all = append(all, job{fits: []int{i}})
			continue
		}
		whole := slices.Clone(fit.Validation)
		for _, e := range fit.Train {
			whole = append(whole, e.Bag)
		}
		slices.Sort(whole)
		name := fmt.Appendf(nil, "%q", share)
		for _, b := range whole {
			name = binary.AppendUvarint(name, uint64(b))
		}
		key := string(name)
		known, found := at[key]
		if !found {
			var bags []mil.Instances
			for _, b := range whole {
				bags = append(bags, task.Bags[b])
			}
			known, at[key] = len(all), len(all)
			all = append(all, job{shared: NewShared(bags)})
		}
		all[known].fits = append(all[known].fits, i)
	}
	return all
}

// Plan implements [Learner]. It plans fewer workers if the memory limit does not suffice for all.
func (l Classical) Plan(task cv.Task) (Plan, error) {
	plan, _, err := l.plan(task)
	return plan, err
}

func (l Classical) plan(task cv.Task) (Plan, []job, error) {
	if err := task.Validate(); err != nil {
		return Plan{}, nil, err
	}
	if err := l.Check(task); err != nil {
		return Plan{}, nil, err
	}
	jobs := l.jobs(task)
	p := Plan{Fits: len(task.Fits), Workers: max(l.Workers, 1)}
	type group struct {
		Group
		seconds float64
	}
	groups := map[string]*group{} // by setting
	var order []string
	var tooLarge error // about the last fit that is too large
	for n := range jobs {
		j := &jobs[n]
		for _, i := range j.fits {
			fit := task.Fits[i]
			estimator, err := l.parse(fit.Setting)
			if err != nil {
				continue // Learn reports it
			}
			c := cost(estimator, training(task, fit).Bags)
			if l.Memory > 0 && processMemory+c.Memory > l.Memory {
				tooLarge = fmt.Errorf("%s needs %d MB of memory for a fit, more than the %d MB allowed; raise --memory", Name(fit.Setting), (processMemory+c.Memory)/1e6+1, l.Memory/1e6)
				if j.refused == nil {
					j.refused = make(map[int]error)
				}
				j.refused[i] = tooLarge
				continue
			}
			k := string(fit.Setting)
			g := groups[k]
			if g == nil {
				g = &group{Group: Group{Members: 1}}
				groups[k], order = g, append(order, k)
			}
			g.Fits = append(g.Fits, i)
			g.seconds += c.Seconds + c.Shared/float64(len(j.fits))
			g.Memory = max(g.Memory, c.Memory)
			p.Members = 1
		}
	}
	most := uint64(0) // largest of one fit
	for _, g := range groups {
		most = max(most, g.Memory)
	}
	if tooLarge != nil && len(order) == 0 {
		return Plan{}, nil, fmt.Errorf("%s: %w", task.Name, tooLarge)
	}
	for p.Workers > 1 && l.Memory > 0 && processMemory+uint64(p.Workers)*most > l.Memory {
		p.Workers--
		p.Note = fmt.Sprintf("%s: %d fits at a time, to keep within %d MB of memory", task.Name, p.Workers, l.Memory/1e6)
	}
	for _, k := range order {
		g := groups[k]
		slices.Sort(g.Fits)
		g.Blocks, g.Block, g.Memory = len(g.Fits), g.seconds/float64(len(g.Fits)), processMemory+uint64(p.Workers)*g.Memory
		p.Blocks += g.Blocks
		p.Memory = max(p.Memory, g.Memory)
		p.Groups = append(p.Groups, g.Group)
	}
	p.Time = TimeOf(p.Groups, p.Workers)
	return p, jobs, nil
}

// Learn implements [Learner].
func (l Classical) Learn(ctx context.Context, task cv.Task, done func(Outcome) error) error {
	plan, jobs, err := l.plan(task)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int, len(jobs))
	for i := range jobs {
		next <- i
	}
	close(next)
	var handing sync.Mutex
	hand := func(o Outcome) {
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
	for range plan.Workers {
		workers.Go(func() {
			for j := range next {
				for _, i := range jobs[j].fits {
					if ctx.Err() != nil {
						return
					}
					if why := jobs[j].refused[i]; why != nil {
						hand(Outcome{Fit: i, Err: why})
						continue
					}
					start := time.Now()
					epoch, err := l.learn(ctx, task, task.Fits[i], jobs[j].shared)
					o := Outcome{Fit: i, Wall: time.Since(start), Err: err}
					if err == nil {
						o.Epochs = []Epoch{epoch}
					}
					hand(o)
				}
				jobs[j].shared = nil // the shared data are no longer needed
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

// learn fits one model and scores the held-out bags.
func (l Classical) learn(ctx context.Context, task cv.Task, fit cv.Fit, shared *Shared) (Epoch, error) {
	estimator, err := l.parse(fit.Setting)
	if err != nil {
		return Epoch{}, err
	}
	t := training(task, fit)
	t.Shared = shared
	model, err := estimator.Fit(ctx, t)
	if err != nil {
		return Epoch{}, err
	}
	e := Epoch{Number: 1}
	if m, ok := model.(interface{ TrainingLoss() float64 }); ok {
		e.Loss = m.TrainingLoss()
	}
	if e.Validation, err = scores(model, task.Bags, fit.Validation, false); err != nil {
		return Epoch{}, err
	}
	e.Test, err = scores(model, task.Bags, fit.Test, fit.Instances)
	return e, err
}

// scores returns the scores of bags given by index, with the scores of their instances if instances is true.
func scores(model Model, bags []mil.Instances, indices []int, instances bool) ([]mil.Prediction, error) {
	scores := make([]mil.Prediction, len(indices))
	for k, i := range indices {
		var err error
		if scores[k], err = Predict(model, bags[i], instances); err != nil {
			return nil, fmt.Errorf("bag %d: %w", i, err)
		}
	}
	return scores, nil
}

// Predict returns the model's prediction for a bag. If instances is true and the model scores instances, their scores
// are included.
func Predict(model Model, bag mil.Instances, instances bool) (mil.Prediction, error) {
	p, err := model.Predict(bag)
	if err != nil || !instances {
		p.Instances = nil
		return p, err
	}
	m, ok := model.(InstanceScorer)
	if !ok || p.Instances != nil {
		return p, nil
	}
	all, err := m.InstanceScores(bag)
	if errors.Is(err, errNoScores) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	if len(all) != len(p.Scores) || slices.ContainsFunc(all, func(one []float64) bool { return len(one) != bag.Len() }) {
		return p, fmt.Errorf("the model has %d rows of scores of instances; each of the %d scores of the bag needs a row of %d", len(all), len(p.Scores), bag.Len())
	}
	best := 0
	for k, score := range p.Scores {
		if score > p.Scores[best] {
			best = k
		}
	}
	p.Instances = all[best]
	if len(all) > 1 {
		p.ClassInstances = all
	}
	return p, nil
}
