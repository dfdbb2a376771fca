package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/dataset"
	"synpool/milbench/learner/neural"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/paper"
)

// shardHelp says in the help of a subcommand where more is said about shards.
const shardHelp = `

Shards:
--shard i/n trains part i of n, on as many machines or in an array of jobs: milbench help shards.`

// shardFlags are the flags of a run that is part of a study.
type shardFlags struct{ text, plan string }

func (s *shardFlags) addTo(f *pflag.FlagSet) {
	f.StringVar(&s.text, "shard", "", "`part` to train: i/n with i from 0, /n in an array of jobs, or none to train all even in an array")
	f.StringVar(&s.plan, "plan", "", "`file` of a plan that replaces sets and settings, say DIR/missing.json")
}

// arguments refuses arguments beside a plan.
func (s *shardFlags) arguments(low, high int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if s.plan == "" {
			return arguments(low, high)(c, args)
		}
		if len(args) > 0 {
			return fmt.Errorf("%q: a plan names its own sets; leave the names or --plan out", args[0])
		}
		var err error
		c.Flags().Visit(func(f *pflag.Flag) {
			if !slices.Contains([]string{"plan", "shard", "out", "cores", "memory", "dry-run", "json", "help"}, f.Name) {
				err = fmt.Errorf("--%s: a plan has settings of its own; leave --%[1]s or --plan out", f.Name)
			}
		})
		return err
	}
}

// shard is part i of n.
type shard struct {
	i, n  int
	array bool // n is the number of tasks of a Slurm array
}

// shard returns the shard of the flag or the environment, nil for none. It first checks the number of cores.
func (s *shardFlags) shard(cores int) (*shard, error) {
	if err := checkCores(cores); err != nil {
		return nil, err
	}
	switch s.text {
	case "":
		return shardOfArray()
	case "none":
		return nil, nil
	}
	left, right, found := strings.Cut(s.text, "/")
	n, err := strconv.Atoi(right)
	if !found || err != nil {
		return nil, fmt.Errorf("--shard %s: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs", s.text)
	}
	if n < 1 || n > cluster.MaxShards {
		return nil, fmt.Errorf("--shard %s: 1 to %d shards are possible", s.text, cluster.MaxShards)
	}
	if s, err := shardOfArray(); left == "" && err == nil && s != nil && s.n == n {
		return &shard{i: s.i, n: n}, nil // whatever the array counts from
	}
	text, name := left, ""
	for _, variable := range []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"} {
		if text == "" {
			text, name = os.Getenv(variable), variable
		}
	}
	if text == "" {
		return nil, fmt.Errorf("--shard %s: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which; write, say, 0/%d", s.text, n)
	}
	i, err := strconv.Atoi(text)
	if err != nil && name == "" {
		return nil, fmt.Errorf("--shard %s: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs", s.text)
	}
	if name != "" {
		name = " (" + name + " is " + text + ")"
	}
	if err != nil || i < 0 || i >= n {
		return nil, fmt.Errorf("--shard %s%s: shards count from 0; the last of %d is %d/%d", s.text, name, n, n-1, n)
	}
	return &shard{i: i, n: n}, nil
}

// shardOfArray returns the shard of Slurm's variables, nil outside of arrays.
func shardOfArray() (*shard, error) {
	if os.Getenv("SLURM_ARRAY_TASK_ID") == "" {
		if index := os.Getenv("JOB_COMPLETION_INDEX"); index != "" {
			return nil, fmt.Errorf("JOB_COMPLETION_INDEX is %s, but the number of shards is not set; give --shard /n with the Job's completions, or --shard none", index)
		}
		return nil, nil
	}
	values := make(map[string]int)
	for _, name := range []string{"ID", "MIN", "MAX", "COUNT", "STEP"} {
		text := os.Getenv("SLURM_ARRAY_TASK_" + name)
		if text == "" && name == "STEP" {
			text = "1"
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("SLURM_ARRAY_TASK_%s is %q, no integer; give --shard i/n", name, text)
		}
		values[name] = v
	}
	id, low, count, step := values["ID"], values["MIN"], values["COUNT"], values["STEP"]
	if step < 1 || count < 1 || id < low || (id-low)%step != 0 || values["MAX"] != low+(count-1)*step || id > values["MAX"] {
		return nil, fmt.Errorf("task %d of a Slurm array of %d tasks from %d to %d is not in an evenly spaced row; give --shard /n", id, count, low, values["MAX"])
	}
	if count > cluster.MaxShards {
		return nil, fmt.Errorf("a Slurm array of %d tasks: at most %d shards are possible", count, cluster.MaxShards)
	}
	return &shard{(id - low) / step, count, true}, nil
}

// ask is what a command line asks for.
type ask struct {
	names []string   // the experiment, or sets
	grid  *gridFlags // of milbench run
	quick bool       // of milbench study
	sets  []string   // the same; nil for all
	seed  uint64
}

// command is the subcommand that asks.
func (a ask) command() string {
	if a.grid != nil {
		return "run"
	}
	return "study"
}

// request returns a plan without sets and fits.
func (a ask) request(backend string, cores int) (*cluster.Plan, error) {
	plan := &cluster.Plan{Format: cluster.Format, Version: readBuild().Version, Backend: backend, Cores: cores, Seed: a.seed, Shards: 1}
	if a.grid == nil {
		_, form, _, err := findForm(a.names[0], a.quick, a.sets)
		plan.Request = cluster.Request{Experiment: a.names[0], Quick: a.quick, Spaces: form.Spaces}
		return plan, err
	}
	plan.Seed = a.grid.seed
	o := a.grid.open.columns.options
	plan.Request = cluster.Request{Curves: a.grid.curves, Positive: a.grid.open.positive, KeepLeak: a.grid.open.keepLeak,
		Labels: o.Labels, Bag: o.Bag, Label: o.Label, Group: o.Group, Split: o.Split, Categorical: o.Categorical, AsFeatures: o.AsFeatures, Coordinates: o.Coordinates, Array: o.Array, Subset: o.Subset, Median: o.Median, Numbers: o.Numbers, Order: o.Order}
	if c := a.grid.open.columns.column.Column; c != dataset.NoColumn {
		plan.Request.InstanceLabels = c.String()
	}
	return plan, a.grid.check()
}

// makePlan returns the plan of a command; each machine trains as trainer does. Sets are opened one after another.
func (p *program) makePlan(a ask, backend string, trainer neural.Trainer) (*cluster.Plan, []paper.Missing, error) {
	if a.grid != nil {
		a.grid.note = p.note
	}
	plan, err := a.request(backend, trainer.Workers)
	if err != nil {
		return nil, nil, err
	}
	bar := p.progress()
	defer bar.clear()
	show := func(name string) { bar.show(func() string { return "planning " + name }) }
	if a.grid != nil {
		files := 0
		for _, name := range a.names {
			show(name)
			s, err := p.openOne(a.grid.open, name)
			if err != nil {
				return nil, nil, err
			}
			if s.entry == nil {
				files++
			}
			for _, known := range plan.Sets {
				if known.Checksum == s.set.Checksum {
					return nil, nil, fmt.Errorf("%s holds the same bags as %s; name one of them", name, known.Source)
				}
			}
			one, err := a.grid.study(s)
			if err != nil {
				return nil, nil, err
			}
			if err := run.AddTo(plan, []run.Run{one}, name, allLearners(trainer)); err != nil {
				return nil, nil, err
			}
		}
		return plan, nil, a.grid.open.check(files)
	}
	_, form, _, err := findForm(a.names[0], a.quick, a.sets)
	if err != nil {
		return nil, nil, err
	}
	var missing []paper.Missing
	for _, name := range form.Sets() {
		show(name)
		one, err := form.Only(name)
		if err != nil {
			return nil, nil, err
		}
		runs, absent, err := one.Runs("", nil, a.seed)
		missing = append(missing, absent...)
		if len(absent) > 0 {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if err := run.AddTo(plan, runs, name, allLearners(trainer)); err != nil {
			return nil, nil, err
		}
	}
	if len(plan.Fits) == 0 {
		return nil, nil, fmt.Errorf("none of the sets of this study is there: %w", missing[0].Err)
	}
	return plan, missing, nil
}

// shardJob is a shard to train.
type shardJob struct {
	ask
	file           string // of the plan; "" to follow that of the folder, or to make one
	shard          *shard // nil for the whole plan
	dir            string
	cores          int
	memory         memorySize
	dryRun, asJSON bool
}

// folder returns the results folder of the plan of a job.
func (j shardJob) folder(plan *cluster.Plan) (string, error) {
	switch experiment := plan.Request.Experiment; {
	case experiment == "" && j.command() == "study":
		return "", fmt.Errorf("%s is a plan of milbench run; give milbench run --plan", j.file)
	case experiment != "" && j.command() == "run":
		return "", fmt.Errorf("%s is a plan of milbench study %s; give milbench study --plan", j.file, experiment)
	case experiment == "":
		return j.dir, nil
	}
	_, _, folder, err := findForm(plan.Request.Experiment, plan.Request.Quick, nil)
	return filepath.Join(j.dir, folder), err
}

// trainShard trains a shard in a folder of its own among the attempts.
func (p *program) trainShard(c *cobra.Command, j shardJob) error {
	var plan *cluster.Plan
	var err error
	if j.file != "" {
		plan, err = cluster.ReadFile(j.file)
	} else {
		plan, err = j.request("", 1)
	}
	if err != nil {
		return err
	}
	dir, err := j.folder(plan)
	if err != nil {
		return err
	}
	choice, trainer, err := p.chooseTrainer(j.cores, j.memory.bound())
	if err != nil {
		return err
	}
	defer choice.Backend.Finalize()
	trainer.Checkpoints = filepath.Join(dir, checkpoints)
	which := shard{i: 0, n: 1}
	if j.shard != nil {
		which = *j.shard
	}
	path, known := j.file, true // of the plan, and whether it was there
	if j.file == "" {
		path = filepath.Join(dir, results.PlanName)
		if plan, known, err = p.planOf(j, path, choice.Config, trainer); err != nil {
			return err
		}
	}
	b := readBuild()
	if plan.Version != b.Version {
		return fmt.Errorf("the plan was made by version %s, and this is %s; make a new plan (milbench plan), or use that version", plan.Version, b.Version)
	}
	switch {
	case j.file != "":
		plan.Backend = choice.Config // a plan may be made on another machine than its fits
	case plan.Backend != choice.Config:
		return fmt.Errorf("%s is for backend %s, and this is %s; choose another --out, or use that backend", path, plan.Backend, choice.Config)
	}
	if plan.Shards != which.n {
		if known && (which.array || j.file == "") {
			return otherShards(path, plan.Shards, which)
		}
		plan.Divide(which.n)
	}
	finished, err := results.Finished(dir, plan)
	if err != nil {
		return err
	}
	if !j.dryRun && (j.file != "" || !known) {
		follows, err := results.Follow(dir, plan)
		if err != nil {
			return err
		}
		if j.file == "" { // another shard may have been first
			if plan = follows; plan.Shards != which.n {
				return otherShards(path, plan.Shards, which)
			}
		}
	}
	fits := plan.Shard(which.i)
	sources := plan.Sources(fits)
	if len(fits) == 0 {
		p.note("shard %d/%d has no fits", which.i, which.n)
		return nil
	}
	runs, err := p.shardRuns(plan, fits, trainer)
	if err != nil {
		return err
	}
	attempt := results.AttemptDir(dir, which.i, which.n)
	for i := range runs {
		r := &runs[i]
		r.Dir, r.Finished = attempt, finished
		r.Backend, r.Version, r.Revision, r.Cores = choice.Config, b.Version, b.Revision, trainer.Workers
	}
	plans, err := p.plan(runs)
	if err != nil {
		return err
	}
	e := newEstimate(choice.Config, trainer, plans)
	if j.dryRun {
		return p.writeEstimate(e, j.asJSON)
	}
	p.note("shard %d/%d: %d fits on %s, %d of them finished", which.i, which.n, len(fits), strings.Join(sources, ", "), len(fits)-e.Total.Missing)
	if e.Total.Missing > 0 {
		if err := p.do(c.Context(), runs); err != nil {
			return err
		}
	}
	if plan.Request.Spaces && lacksSpaces(plan, fits, finished) {
		return p.keepSpaces(c.Context(), runs, trainer)
	}
	return nil
}

// otherShards refuses a second division of a plan: shards of two divisions overlap and leave fits out.
func otherShards(path string, shards int, which shard) error {
	if which.array {
		return fmt.Errorf("%s has %d shards, and the Slurm array %d tasks; give --shard /%[2]d, so each task trains the shard of its number", path, shards, which.n)
	}
	return fmt.Errorf("%s has %d shards, and --shard is of %d; give --shard i/%[2]d, or --plan %[1]s to divide it again", path, shards, which.n)
}

// lacksSpaces reports whether a space that belongs to the fits is missing.
func lacksSpaces(plan *cluster.Plan, fits []cluster.Fit, finished map[string]bool) bool {
	return slices.ContainsFunc(fits, func(f cluster.Fit) bool {
		s := results.Space{Checksum: plan.Sets[plan.Arms[f.Arm].Set].Checksum, Of: results.OfPooled, Config: plan.Settings[f.Setting]}
		return f.Repeat == 0 && f.Fold == 0 && !finished[s.ID()]
	})
}

// planOf returns the plan of a file, which must match the command, or a new plan if there is no file.
func (p *program) planOf(j shardJob, path, backend string, trainer neural.Trainer) (plan *cluster.Plan, known bool, err error) {
	plan, err = cluster.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		plan, missing, err := p.makePlan(j.ask, backend, trainer)
		if err == nil && len(missing) > 0 {
			err = fmt.Errorf("%w; or make a plan without it (milbench plan study)", missing[0].Err)
		}
		return plan, false, err
	}
	if err != nil {
		return nil, false, err
	}
	other, err := j.other(plan)
	if err == nil && other != "" {
		err = fmt.Errorf("%s is a plan with different %s; choose another --out, or give --plan %[1]s instead", path, other)
	}
	return plan, true, err
}

// other says how a plan differs from the command, defaults included; "" if it does not. It opens no set.
func (a ask) other(plan *cluster.Plan) (string, error) {
	asked, err := a.request(plan.Backend, plan.Cores)
	if err != nil {
		return "", err
	}
	var sources []string
	for _, s := range plan.Sets {
		sources = append(sources, s.Source)
	}
	names := a.names
	if a.grid == nil {
		_, form, _, err := findForm(a.names[0], a.quick, a.sets)
		if err != nil {
			return "", err
		}
		names = form.Sets()
	}
	sources = slices.Compact(sources) // a changed set stands beside what it is made of
	switch {
	case plan.Seed != asked.Seed:
		return fmt.Sprintf("seeds (%d)", plan.Seed), nil
	case !plan.Request.Equal(asked.Request):
		return "options (--curves, those of files, or another experiment)", nil
	case !slices.Equal(sources, names):
		return fmt.Sprintf("sets (%s)", strings.Join(sources, ", ")), nil
	case a.grid == nil:
		return "", nil // arms and settings are those of the experiment
	}
	list, err := a.grid.listed()
	if err != nil {
		return "", err
	}
	for i, setting := range list {
		if list[i], err = milbench.CanonicalSetting(setting); err != nil {
			return "", err
		}
	}
	if !slices.EqualFunc(list, plan.Settings, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
		return "settings", nil
	}
	for _, arm := range plan.Arms {
		source := plan.Sets[arm.Set].Source
		var entry *dataset.Entry
		if named, err := dataset.Find(source); err == nil {
			entry = &named
		}
		if protocol, err := a.grid.protocolOf(entry); err != nil || protocol != arm.Protocol {
			return fmt.Sprintf("--protocol, --folds, --repeats or --inner (%s, %d, %d and %d for %s)", arm.Protocol.Name, arm.Protocol.Folds, arm.Protocol.Repeats, arm.Protocol.Inner, source), err
		}
	}
	return "", nil
}

// shardRuns returns the runs of some fits of a plan. It opens and keeps only their sets.
func (p *program) shardRuns(plan *cluster.Plan, fits []cluster.Fit, trainer neural.Trainer) (runs []run.Run, err error) {
	names := plan.Sources(fits)
	if plan.Request.Experiment != "" {
		_, form, _, err := findForm(plan.Request.Experiment, plan.Request.Quick, names)
		if err != nil {
			return nil, err
		}
		return form.Shard(allLearners(trainer), plan, fits)
	}
	asked := plan.Request
	open := sources{positive: asked.Positive, keepLeak: asked.KeepLeak,
		columns: columnFlags{options: dataset.Options{Labels: asked.Labels, Bag: asked.Bag, Label: asked.Label, Group: asked.Group, Split: asked.Split, Categorical: asked.Categorical, AsFeatures: asked.AsFeatures, Coordinates: asked.Coordinates, Array: asked.Array, Subset: asked.Subset, Median: asked.Median, Numbers: asked.Numbers, Order: asked.Order}}}
	if column := plan.Request.InstanceLabels; column != "" {
		if err := open.columns.column.Set(column); err != nil {
			return nil, fmt.Errorf("instance_labels %q of the plan: %w", column, err)
		}
	}
	for _, name := range names {
		s, err := p.openOne(open, name)
		if err != nil {
			return nil, err
		}
		for _, a := range plan.Arms {
			if plan.Sets[a.Set].Source != name {
				continue
			}
			var list []json.RawMessage
			for _, i := range a.Settings {
				list = append(list, plan.Settings[i])
			}
			runs = append(runs, run.Run{Sets: []*milbench.Set{s.set}, Protocol: a.Protocol, Settings: list, Seed: plan.Seed, Curves: plan.Request.Curves, Learner: allLearners(trainer)})
		}
	}
	return run.Restrict(runs, plan, fits)
}
