package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/neural"
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

Protocols: honest never looks at the test part before the end (repeated stratified k-fold, or the set's official split);
nested lets a fifth of each training part choose epoch and setting; published is that of the released Syn script, the
best test epoch of the first fold, and its figures are marked optimistic.`,
		Example: `  milbench run musk1 --out results
  milbench run elephant fox tiger --pooling softmax,syn --iterations=-3,3 --repeats 1 --out results
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
			if cores < 1 {
				return fmt.Errorf("--cores %d: at least 1 is needed", cores)
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
			total := 0
			for _, s := range sources {
				own := protocol
				if s.entry != nil && name != milbench.PublishedProtocol && !c.Flags().Changed("folds") {
					own.Folds = s.entry.Folds
				}
				fits, err := own.Fits(s.set, list, seed)
				if err != nil {
					return err
				}
				total += len(fits)
				at := 0
				for at < len(studies) && studies[at].Protocol != own {
					at++
				}
				if at == len(studies) {
					studies = append(studies, study.Run{Protocol: own, Settings: list, Seed: seed, Dir: dir})
				}
				studies[at].Sets = append(studies[at].Sets, s.set)
			}
			choice, err := p.chooseBackend()
			if err != nil {
				return err
			}
			defer choice.Backend.Finalize()
			b := readBuild()
			for i := range studies {
				r := &studies[i]
				r.Learner = neural.Trainer{Backend: choice.Backend, Workers: cores}
				r.Backend, r.Version, r.Revision = choice.Config, b.Version, b.Revision
			}
			err = p.do(c.Context(), studies, total)
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
	f.IntVar(&cores, "cores", runtime.NumCPU(), "fits trained at a time")
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

// do runs studies of total fits into one folder, one after the other.
func (p *program) do(ctx context.Context, studies []study.Run, total int) error {
	start := time.Now()
	bar := p.progress()
	var sum study.Summary
	var errs []error
	for _, r := range studies {
		r.Progress = func(now study.Progress) {
			ended := sum.Skipped + sum.Done + sum.Failed + now.Skipped + now.Done + now.Failed
			failed := ""
			if n := sum.Failed + now.Failed; n > 0 {
				failed = fmt.Sprintf(", %d failed", n)
			}
			bar.show("%d of %d fits%s, %v  %s", ended, total, failed, time.Since(start).Round(time.Second), now.Set)
		}
		one, err := r.Do(ctx)
		sum.Skipped, sum.Done, sum.Failed = sum.Skipped+one.Skipped, sum.Done+one.Done, sum.Failed+one.Failed
		if err != nil {
			errs = append(errs, err)
		}
		if err != nil && one.Failed == 0 { // wrong from the start, stopped, or no room
			break
		}
	}
	bar.clear()
	err := errors.Join(errs...)
	file := filepath.Join(studies[0].Dir, study.FileName)
	if s := stoppedBy(ctx); s != nil && errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w: %d of %d results are kept in %s; the same command goes on from there", s, sum.Skipped+sum.Done, total, file)
	}
	if err == nil || sum.Failed > 0 {
		p.note("%d of %d fits done in %v, %d were there already, %d failed; results in %s",
			sum.Done, total, time.Since(start).Round(100*time.Millisecond), sum.Skipped, sum.Failed, file)
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
