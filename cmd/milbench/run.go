package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/interop"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// run is the subcommand that runs a study.
func (p *program) run() *cobra.Command {
	var (
		grid           gridFlags
		dir            string
		cores          int
		memory         memorySize
		dryRun, asJSON bool
		part           string
	)
	c := &cobra.Command{
		Use:   "run NAME|FILE... --out DIR",
		Short: "Compare learners on sets of bags by cross-validation",
		Long: `Without flags it compares support vector machines and trees on whole bags, a classifier of instances
and three small networks, and says which cannot be told apart. That takes about a minute for a set
like musk1. --preset paper compares softmax with 3 Syn steps and 3 inverse ones as the Syn paper has
them; --preset released, as its released program has them, which docs/replication.md measures.

Settings:
Every setting takes a list, say --iterations=-3,0,3, and all combinations are run. A setting that a
pooling lacks does not multiply its fits. Settings share folds and initial weights.

Resuming:
Each finished fit adds one line to DIR/results.jsonl. A stopped run resumes when you run the same
command again. You may add settings, sets or repeats. A fit that fails is tried three times.

Protocols:
  honest       looks at the test part only at the end: repeated stratified k-fold, or the
               official split of the set
  nested       chooses epoch and setting by inner folds of each training part, and scores the
               model of the whole part
  published    the released Syn script: the best test epoch of the first fold
  best-epoch   honest, except that it takes the best test epoch
Figures of the last two are marked optimistic. --folds-file takes given folds, such as those of a
paper. Tables mark them with their checksum, and compare results on the same folds only.

Few training bags:
--shots 1,2,4,8,16 learns from so many training bags of each class, drawn from the training part of
each fold; test parts stay. milbench plot --figure shots draws the figure against their number.

Memory:
--dry-run says what is missing in DIR and about how much time and memory it takes; with --json also
the settings. A run that takes more than ten minutes first names the learners that take most, and a
command that takes a tenth.

With XLA (see milbench backend) many fits are trained side by side, in one block per core. Which
fits share a block changes no result. If --memory forces smaller blocks, rounding differs, and a
note says so.

Large sets:
Where a learner of the comparison takes more than five seconds for a fit, because its time grows
with the square of the instances, it takes some instances of each bag, 100 at least, and if that is
not enough a sample of the bags; its row says instances=N and sample=N. So does a learner whose fit
takes more than two minutes. It is left out if the sample takes five. Notes say so; --learner NAME
takes all, but at most 5,000 instances of a bag. auto does the same with its learners.

Curves:
--curves adds one line per fit to DIR/curves.jsonl, with values for each epoch: the mean training
loss, the AUC of the validation part (nested only), and the share of held-out bags and heads whose
winner, the instance with the largest weight, has changed since the previous epoch.` + shardHelp + "\n\nFiles:\nFiles are audited first and refused if a column leaks the bag labels." + fileForms,
		Example: `  milbench run musk1 --out results
  milbench run elephant fox tiger --pooling softmax,syn --iterations=-3,3 --repeats 1 --out results
  milbench run elephant musk2 --repeats 10 --out results --dry-run
  milbench run bags.csv --instance-label-column last --pooling gated --width 64,256 --out results
  milbench run musk1 --learner instance --pooling softmax --protocol nested --out results
  milbench run elephant fox tiger --out results --shard 3/12`,
		Args: arguments(1, 0),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkCores(cores); err != nil {
				return err
			}
			which, err := run.ParseShard(part)
			if err != nil {
				return err
			}
			if which != nil && asJSON && !dryRun {
				return errors.New("--json: a shard prints no table; leave --json out, or take --dry-run")
			}
			studies, err := p.studies(&grid, args)
			if err != nil {
				return err
			}
			machine := p.fleet(cores, memory.bound())
			machine.Checkpoints = filepath.Join(dir, checkpoints)
			defer machine.Close()
			trainer, err := p.equip(studies, machine, dir)
			if err != nil {
				return err
			}
			if err := p.gather(c.Context(), which, dir, studies, dryRun, false); err != nil {
				return err
			}
			plans, err := p.plan(studies)
			if err != nil {
				return err
			}
			e := newEstimate(studies[0].Backend, trainer, plans)
			switch {
			case dryRun:
				e.Settings = distinctSettings(studies)
				return p.writeEstimate(e, asJSON)
			case which != nil:
				return p.trainShard(c.Context(), studies, e.Total)
			}
			if err := p.noteTime(&grid, args, dir, studies, e.Total.Seconds); err != nil {
				return err
			}
			format := results.Formats[0]
			if asJSON {
				format = "json"
			}
			return p.tabulated(p.do(c.Context(), studies), dir, format)
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&dir, "out", "", "`folder` of the results, made if it is missing (required)")
	grid.addTo(f)
	coresFlag(f, &cores)
	f.Var(&memory, "memory", "memory limit, say 500MB, 2GB or 1.5GiB (default half of the free memory)")
	f.BoolVar(&dryRun, "dry-run", false, "print what is still to train and about how much time and memory it takes, and train nothing")
	shardFlag(f, &part)
	addJSON(c, &asJSON)
	required(c, "out")
	return c
}

// equip starts a machine for runs and sets what their results say of it and of the program.
func (p *program) equip(runs []run.Run, m *milbench.Machine, dir string) (neural.Trainer, error) {
	all, trainer, err := m.Learner()
	if err != nil {
		return trainer, err
	}
	choice, err := m.Backend()
	b := readBuild()
	for i := range runs {
		r := &runs[i]
		r.Learner, r.Dir, r.Cores = all, dir, trainer.Workers
		r.Backend, r.Version, r.Revision = choice.Config, b.Version, b.Revision
	}
	return trainer, err
}

// required makes a flag required.
func required(c *cobra.Command, name string) {
	c.PreRunE = func(*cobra.Command, []string) error {
		if !c.Flags().Changed(name) || c.Flag(name).Value.String() == "" {
			return fmt.Errorf("--%s is missing; usage: %s", name, usage(c))
		}
		return nil
	}
}

// gridFlags are the flags that choose the fits of a run.
type gridFlags struct {
	open           readFlags
	set            settings
	learners       []string // classical ones, by name
	sample         int      // settings of each pooling that are drawn at random; 0: all combinations
	name           string   // of the protocol
	folds, repeats int
	foldsFile      string
	shots          []int // numbers of training bags of each class; empty for all bags
	inner          int
	seed           uint64
	curves         bool
	flags          *pflag.FlagSet
}

// compares reports whether no flag chooses learners or settings.
func (g *gridFlags) compares() bool {
	return len(g.learners) == 0 && g.set.firstGiven() == "" && g.set.preset == neural.SmallPreset && !g.flags.Changed("sample")
}

func (g *gridFlags) addTo(f *pflag.FlagSet) {
	g.flags = f
	g.set.grid = neural.Grid{"pooling": {"softmax", "syn"}, "iterations": {-3, 3}}
	inGroup(f, networkFlags, func() { g.set.addTo(f, false) })
	f.IntVar(&g.sample, "sample", 0, "`number` of settings to draw at random for each pooling, from the lists that you give or else from values for sets of up to a few hundred bags; --protocol nested chooses among them")
	f.StringSliceVar(&g.learners, "learner", nil, "`list` of learners other than networks: "+strings.Join(learners.Names(), ", ")+"; without --pooling no network is trained")
	f.StringVar(&g.name, "protocol", cv.ProtocolNames[0], "`name` of the protocol: "+strings.Join(cv.ProtocolNames, ", "))
	f.IntVar(&g.folds, "folds", 0, "folds per repeat, for sets without an official split (default 10, fewer for few bags; ucsb and published 4)")
	f.StringVar(&g.foldsFile, "folds-file", "", foldsFileHelp)
	f.IntVar(&g.repeats, "repeats", 0, "repeats with other folds and seeds (default 5; published 1; 2 if no flag chooses learners or settings; those of --folds-file)")
	f.Var(&parsed{kind: "list", read: g.readShots}, "shots", "numbers of training bags of each class, say 1,2,4,8,16: each is drawn from the training part of every fold, the fewer from the more, and makes a row of the table")
	f.IntVar(&g.inner, "inner", cv.InnerFolds, "inner folds of each training part, for nested; 0 holds back a fifth of it instead")
	f.Uint64Var(&g.seed, "seed", 1, "seed of folds, initial weights, order and dropout")
	f.BoolVar(&g.curves, "curves", false, "add the curves of each fit over its epochs to DIR/curves.jsonl")
	inGroup(f, fileFlags, func() { g.open.addSources(f) })
}

// protocol returns the protocol that the flags choose.
func (g *gridFlags) protocol() (cv.Protocol, error) {
	protocol, err := cv.DefaultProtocol(g.name)
	if err != nil {
		return protocol, err
	}
	switch {
	case g.flags.Changed("repeats"):
		protocol.Repeats = g.repeats
	case g.compares() && protocol.Repeats > milbench.LineupRepeats:
		protocol.Repeats = milbench.LineupRepeats
	}
	if g.flags.Changed("inner") {
		if g.name != cv.NestedProtocol {
			return protocol, errors.New("--inner: only the nested protocol has inner folds; add --protocol nested")
		}
		protocol.Inner = g.inner
	}
	if g.flags.Changed("folds") {
		protocol.Folds = g.folds
		return protocol, protocol.Validate()
	}
	if err := protocol.Validate(); err != nil || g.name == cv.PublishedProtocol {
		return protocol, err
	}
	protocol.Folds = 0 // those of the set
	return protocol, nil
}

// studies returns the runs of names and files, one each. Invalid flags are reported before a set is opened.
func (p *program) studies(g *gridFlags, namesOrFiles []string) ([]run.Run, error) {
	protocol, err := g.protocol()
	if err != nil {
		return nil, err
	}
	list, err := g.listed()
	if err != nil {
		return nil, err
	}
	if g.foldsFile != "" && len(namesOrFiles) > 1 {
		return nil, errors.New("--folds-file: its folds are of one set; run each set with its own folds, into the same --out")
	}
	sets, err := p.open(&g.open, namesOrFiles)
	if err != nil {
		return nil, err
	}
	split, networks := true, slices.ContainsFunc(list, learners.Trainer{}.NeedsNetworks)
	for _, set := range sets {
		if err := g.set.checkLoss(set); err != nil {
			return nil, err
		}
		if networks {
			g.set.notePreset(p, set)
		}
		split = split && set.HasSplit()
	}
	if err := checkFolds(g.flags, split); err != nil {
		return nil, err
	}
	if protocol, err = p.given(protocol, g.foldsFile, g.flags, sets[0]); err != nil {
		return nil, err
	}
	c := milbench.Comparison{Sets: sets, Settings: list, Protocol: protocol, Seed: g.seed, Curves: g.curves, Note: p.remark}
	if len(g.shots) == 0 {
		return c.Runs()
	}
	var all []run.Run
	for _, c.Protocol.Shots = range g.shots {
		runs, err := c.Runs()
		if err != nil {
			return nil, err
		}
		all, c.Note = append(all, runs...), nil // once is enough
	}
	return all, nil
}

// readShots reads the list of --shots.
func (g *gridFlags) readShots(text string) error {
	for field := range strings.SplitSeq(text, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(field))
		switch {
		case err != nil || k < 1:
			return fmt.Errorf("%q; give numbers of bags from 1 on, say 1,2,4,8,16", field)
		case slices.Contains(g.shots, k):
			return fmt.Errorf("%d occurs twice", k)
		}
		g.shots = append(g.shots, k)
	}
	return nil
}

// checkFolds reports --folds if all sets have an official split.
func checkFolds(flags *pflag.FlagSet, split bool) error {
	if split && flags.Changed("folds") {
		return errors.New("--folds: the official split is the only fold; leave --folds out, or take --split none")
	}
	return nil
}

// foldsFileHelp explains --folds-file.
const foldsFileHelp = "`file` of the folds to take instead of a cut, such as published ones: a table with the columns bag, fold and repeat, as milbench folds writes it; or one of the files NAME_repR_foldF.txt, which list the test bags of a fold each"

// given returns a protocol with the folds of a file, if one is named.
func (p *program) given(protocol cv.Protocol, file string, flags *pflag.FlagSet, set *mil.Set) (cv.Protocol, error) {
	if file == "" {
		return protocol, nil
	}
	if flags.Changed("folds") {
		return protocol, errors.New("--folds: the file of --folds-file has the folds; leave one out")
	}
	splits, err := interop.ReadSplits(file, set, p.remark)
	if err != nil {
		return protocol, fmt.Errorf("--folds-file: %w", err)
	}
	if protocol.Splits, protocol.Folds = splits, 0; !flags.Changed("repeats") {
		protocol.Repeats = len(splits.Tested)
	}
	return protocol, nil
}

// listed returns the settings of networks and classical learners. A classical learner has its default or, if the validation part
// chooses, its grid. It is nil where no flag chooses learners or settings.
func (g *gridFlags) listed() (list []json.RawMessage, err error) {
	switch {
	case g.compares():
		return nil, nil
	case len(g.learners) == 0 || g.flags.Changed("pooling"):
		if list, err = g.networks(); err != nil {
			return nil, err
		}
	case g.set.firstGiven() != "":
		return nil, fmt.Errorf("--%s: a setting of networks; name one with --pooling", g.set.firstGiven())
	case g.flags.Changed("preset"):
		return nil, errors.New("--preset: the defaults of networks; name one with --pooling")
	case g.flags.Changed("sample"):
		return nil, errors.New("--sample: draws settings of networks; name one with --pooling")
	}
	own, err := learnerSettings(g.name == cv.NestedProtocol, g.learners...)
	if err != nil {
		return nil, err
	}
	return append(list, own...), nil
}

// firstGiven returns the name of the first flag of a hyperparameter that was given, "" for none.
func (s *settings) firstGiven() (name string) {
	s.flags.Visit(func(f *pflag.Flag) {
		if _, ok := f.Value.(*list); ok && name == "" {
			name = f.Name
		}
	})
	return name
}

// networks returns the settings of networks: all combinations of the lists, or a random sample.
func (g *gridFlags) networks() ([]json.RawMessage, error) {
	configs, err := g.set.configs()
	if !g.flags.Changed("sample") {
		if err != nil {
			return nil, err
		}
		return neural.Settings(configs)
	}
	if g.sample < 1 || g.sample > maxSettings {
		return nil, fmt.Errorf("--sample %d: from 1 to %d settings can be drawn", g.sample, maxSettings)
	}
	if err != nil {
		return nil, err
	}
	configs, err = g.set.searched(g.flags.Changed("iterations")).Sample(g.sample, g.seed)
	if err != nil {
		return nil, fmt.Errorf("--sample: %w", err)
	}
	return neural.Settings(configs)
}

// searched returns the grid with the values of [neural.SearchGrid] for all flags that were not given; iterations says whether --iterations was.
func (s *settings) searched(iterations bool) neural.Grid {
	search, given := neural.SearchGrid(s.poolings()...), s.full()
	if !iterations {
		delete(given, "iterations")
	}
	maps.Copy(search, given)
	return search
}

// checkpoints is the folder, inside the results folder, of unfinished trainings on large bags.
const checkpoints = "checkpoints"

// do runs studies into one folder.
func (p *program) do(ctx context.Context, studies []run.Run) error {
	start := time.Now()
	bar := p.progress()
	studies[0].Progress = func(now run.Progress) { bar.showFits(now, start) }
	sum, err := run.DoAll(ctx, studies)
	bar.clear()
	file := filepath.Join(studies[0].Dir, results.FileName)
	if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %d of %d results are kept in %s; run the same command again to resume", s, sum.Skipped+sum.Done, sum.Total, file)
	}
	if err == nil || sum.Failed > 0 {
		p.note("%d of %d fits done in %v, %d were there already, %d failed; results in %s",
			sum.Done, sum.Total, time.Since(start).Round(100*time.Millisecond), sum.Skipped, sum.Failed, file)
	}
	if sum.Curveless > 0 {
		p.note("note: %d earlier results have no curves; choose another --out to get them", sum.Curveless)
	}
	if sum.Failed > 0 {
		return finding{shortened{err}}
	}
	return err
}

// shortened is an error of many lines that prints the first few.
type shortened struct{ error }

func (s shortened) Unwrap() error { return s.error }

func (s shortened) Error() string {
	const most = 5
	lines := strings.Split(s.error.Error(), "\n")
	if more := len(lines) - most; more > 1 {
		lines = append(lines[:most], fmt.Sprintf("and %d more errors", more))
	}
	return strings.Join(lines, "\n")
}
