package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/study"
)

// run is the subcommand that runs a study.
func (p *program) run() *cobra.Command {
	var (
		open           sources
		set            settings
		name, dir      string
		folds, repeats int
		seed           uint64
		cores          int
		memory         memorySize
		curves, dryRun bool
		asJSON         bool
	)
	set.grid.Pooling, set.grid.Iterations = []string{"softmax", "syn"}, []int{-3, 3}
	c := &cobra.Command{
		Use:   "run NAME|FILE... --out DIR",
		Short: "Train and test settings on sets, keep the raw scores, and tabulate them",
		Long: `Train and test settings on sets, keep the raw scores, and tabulate them.

Every setting takes a list, say --iterations=-3,0,3, and all combinations are run; a setting that a pooling lacks does
not multiply its fits. Settings share folds and initial weights. One line per finished fit is appended to
DIR/results.jsonl; a stopped run goes on when the same command is given again, and more settings, sets or repeats may be
added. Files are audited first and refused if a column gives the bag labels away.

With XLA (milbench backend) many fits are trained side by side, in one block on each core; which fits share a block
changes no result. Only where --memory leaves no room for blocks of the usual size does rounding differ; a note says so.
On a terminal a line shows fits done, rate and time left. --dry-run says beforehand what is missing in DIR and about how long it takes. --curves adds a line per
fit to DIR/curves.jsonl, with a value for each epoch: the mean training loss, the AUC of the validation part (nested
only: the test part is not looked at), and the share of held-out bags and heads whose winner, the instance of largest
weight, is another than after the epoch before.

Protocols: honest never looks at the test part before the end (repeated stratified k-fold, or the set's official split);
nested lets a fifth of each training part choose epoch and setting. published is that of the released Syn script, the
best test epoch of the first fold; best-epoch is the honest one but for the best test epoch: the figures of both are
marked optimistic.` + filesHelp,
		Example: `  milbench run musk1 --out results
  milbench run elephant fox tiger --pooling softmax,syn --iterations=-3,3 --repeats 1 --out results
  milbench run elephant musk2 --repeats 10 --out results --dry-run
  milbench run bags.csv --instance-label-column last --pooling attention,gated --width 64,256 --out results`,
		Args: arguments(1, 0),
		RunE: func(c *cobra.Command, args []string) error {
			protocol, err := milbench.DefaultProtocol(name)
			if err != nil {
				return err
			}
			if c.Flags().Changed("repeats") {
				protocol.Repeats = repeats
			}
			if c.Flags().Changed("folds") {
				protocol.Folds = folds
			}
			if err := protocol.Validate(); err != nil {
				return err
			}
			if err := checkCores(cores); err != nil {
				return err
			}
			list, err := set.listed()
			if err != nil {
				return err
			}
			sources, err := p.open(open, args)
			if err != nil {
				return err
			}
			var studies []study.Run // one a number of folds
			for _, s := range sources {
				own := protocol
				if s.entry != nil && name != milbench.PublishedProtocol && !c.Flags().Changed("folds") {
					own.Folds = s.entry.Folds
				}
				if _, err := own.Fits(s.set, list, seed); err != nil {
					return err
				}
				at := 0
				for at < len(studies) && studies[at].Protocol != own {
					at++
				}
				if at == len(studies) {
					studies = append(studies, study.Run{Protocol: own, Settings: list, Seed: seed, Dir: dir, Curves: curves})
				}
				studies[at].Sets = append(studies[at].Sets, s.set)
			}
			choice, trainer, err := p.chooseTrainer(cores, memory.bound())
			if err != nil {
				return err
			}
			defer choice.Backend.Finalize()
			plans, err := p.plan(studies, trainer)
			if err != nil {
				return err
			}
			if dryRun {
				e := newEstimate(choice.Config, trainer, plans)
				if asJSON {
					return p.writeJSON(e)
				}
				return p.writeEstimate(e)
			}
			b := readBuild()
			for i := range studies {
				r := &studies[i]
				r.Learner = trainer
				r.Backend, r.Version, r.Revision = choice.Config, b.Version, b.Revision
			}
			err = p.do(c.Context(), studies)
			if err != nil && !errors.As(err, new(finding)) {
				return err
			}
			format := study.Formats[0]
			if asJSON {
				format = "json"
			}
			if tableErr := p.writeTable(dir, format); tableErr != nil && !(err != nil && errors.Is(tableErr, study.ErrNoResults)) {
				return errors.Join(err, tableErr)
			}
			return err
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&dir, "out", "", "folder of the results, made if it is missing (required)")
	set.addTo(f, false)
	f.StringVar(&name, "protocol", milbench.ProtocolNames[0], "one of "+strings.Join(milbench.ProtocolNames, ", "))
	f.IntVar(&folds, "folds", 0, "folds of a repeat, for sets without an official split (default 10; ucsb and published 4)")
	f.IntVar(&repeats, "repeats", 0, "repeats with other folds and seeds (default 5; published 1)")
	f.Uint64Var(&seed, "seed", 1, "seed of folds, initial weights, order and dropout")
	coresFlag(f, &cores)
	f.Var(&memory, "memory", "memory to keep within, say 500MB, 2GB or 1.5GiB (default half of what is free)")
	f.BoolVar(&curves, "curves", false, "also keep what every epoch of a fit was like, in DIR/curves.jsonl")
	f.BoolVar(&dryRun, "dry-run", false, "only say what is still to train and about how much time and memory it takes")
	open.addTo(f)
	addJSON(c, &asJSON)
	required(c, "out")
	return c
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

// listed returns the settings of the grid as JSON.
func (s *settings) listed() ([]json.RawMessage, error) {
	configs, err := s.configs()
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	for _, config := range configs {
		text, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// do runs studies into one folder.
func (p *program) do(ctx context.Context, studies []study.Run) error {
	start := time.Now()
	bar := p.progress()
	studies[0].Progress = func(now study.Progress) { bar.showFits(now.Summary, now.Set, start) }
	sum, err := study.DoAll(ctx, studies)
	bar.clear()
	file := filepath.Join(studies[0].Dir, study.FileName)
	if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %d of %d results are kept in %s; the same command goes on from there", s, sum.Skipped+sum.Done, sum.Total, file)
	}
	if err == nil || sum.Failed > 0 {
		p.note("%d of %d fits done in %v, %d were there already, %d failed; results in %s",
			sum.Done, sum.Total, time.Since(start).Round(100*time.Millisecond), sum.Skipped, sum.Failed, file)
	}
	if sum.Curveless > 0 {
		p.note("note: %d results were there without curves and have none; for those choose another --out", sum.Curveless)
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
