package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/results"
)

// missingName is the file of the plan of missing fits.
const missingName = "missing.json"

// merge is the subcommand that puts the results of shards together.
func (p *program) merge() *cobra.Command {
	var out, planFile, missingFile string
	c := &cobra.Command{
		Use:   "merge DIR... --out DIR",
		Short: "Join the results of shards and list the fits still missing",
		Long: `Joins the results in the folders, and the attempts in them and in the folder of --out, into
results.jsonl in that folder. Curves, spaces and times are joined, too. Each fit is there once, in
the order of the ids. The file is byte-identical whatever the order of the folders and however often
you merge. Attempts stay in place, so you can merge more later.

If attempts of one fit have different scores, a note names the fit, and the line that is first in
byte order is kept. Folders of different plans, seeds, sets, versions or backends are refused.

Missing fits:
The plan is plan.json in the folders, or the file of --plan. If fits of the plan have no result,
they are written to a plan of their own, DIR/missing.json, and the exit status is 1. Train them with
milbench run --plan or milbench study --plan.`,
		Example: "  milbench merge results --out results\n  milbench merge node1/results node2/results --plan plan.json --out merged",
		Args:    arguments(1, 0),
		RunE: func(c *cobra.Command, args []string) error {
			var plan *cluster.Plan
			if planFile != "" {
				var err error
				if plan, err = cluster.ReadFile(planFile); err != nil {
					return err
				}
			}
			path := cmp.Or(missingFile, filepath.Join(out, missingName))
			plans := []string{planFile}
			for _, dir := range slices.Concat(args, []string{out}) {
				plans = append(plans, filepath.Join(dir, results.PlanName))
			}
			if err := canReplace(path, plans); err != nil {
				return err
			}
			bar, start := p.progress(), time.Now()
			bar.show(func() string { return fmt.Sprintf("merging for %v", time.Since(start).Round(time.Second)) })
			m, err := results.Merge(c.Context(), args, out, plan)
			bar.clear()
			if err != nil {
				return err
			}
			p.note("%d results, %d duplicates left out, %d curves, %d spaces; in %s", m.Results, m.Duplicates, m.Curves, m.Spaces, filepath.Join(out, results.FileName))
			if m.Curveless > 0 {
				p.note("note: %d of them have no curve, which the plan asks for: they were trained without --curves", m.Curveless)
			}
			for _, r := range m.Disagreeing {
				p.note("note: attempts of one fit disagree in scores: %s: repeat %d, fold %d, seed %d, %s", r.Set, r.Repeat+1, r.Fold+1, r.Seed, r.Config)
			}
			if more := m.Disagreements - len(m.Disagreeing); more > 0 {
				p.note("note: and %d more fits, %d in all", more, m.Disagreements)
			}
			again := append([]string{"milbench merge"}, args...)
			if planFile != "" {
				again = append(again, "--plan", planFile)
			}
			return p.missing(m, missingFile, out, strings.Join(again, " "))
		},
	}
	f := c.Flags()
	f.StringVar(&out, "out", "", "`folder` of the merged results, made if it is missing (required)")
	f.StringVar(&planFile, "plan", "", "`file` of the plan that says which fits there should be (default the plan in the folders)")
	f.StringVar(&missingFile, "missing", "", "`file` to write the plan of missing fits to (default DIR/missing.json)")
	required(c, "out")
	return c
}

// canReplace reports why the plan of missing fits may not replace a file: what is there is one of the given plans, or no plan.
func canReplace(path string, plans []string) error {
	there, err := os.Stat(path)
	if err != nil {
		return nil
	}
	for _, p := range plans {
		if plan, err := os.Stat(p); err == nil && os.SameFile(plan, there) {
			return fmt.Errorf("--missing: %s is the plan %s; name another file", path, p)
		}
	}
	if _, err := cluster.ReadFile(path); err != nil {
		return fmt.Errorf("--missing: %s is there already, and is no plan; name another file or remove it", path)
	}
	return nil
}

// missing writes the plan of missing fits to a file. If no fit is missing, it removes the plan of an earlier
// merge unless the user has named it. again is the command of this merge without --out.
func (p *program) missing(m results.Merged, missingFile, out, again string) error {
	path := cmp.Or(missingFile, filepath.Join(out, missingName))
	if m.Missing == nil {
		if m.Planned == 0 && missingFile != "" {
			return errors.New("--missing: the folders have no plan, so missing fits cannot be found; name one with --plan")
		}
		if m.Planned == 0 {
			p.note("note: the folders have no plan, so missing fits cannot be found")
			return nil
		}
		switch _, err := cluster.ReadFile(path); {
		case err != nil:
			return nil
		case missingFile == "":
			return os.Remove(path)
		}
		p.note("note: nothing is missing; %s is from before", path)
		return nil
	}
	if err := results.WritePlan(path, m.Missing); err != nil {
		return err
	}
	count := make(map[string]int)
	var sets []string
	for _, f := range m.Missing.Fits {
		name := m.Missing.Sets[m.Missing.Arms[f.Arm].Set].Name
		if count[name]++; count[name] == 1 {
			sets = append(sets, name)
		}
	}
	slices.SortFunc(sets, milbench.CompareNatural)
	const most = 5
	for i, s := range sets {
		sets[i] = fmt.Sprintf("%d of %s", count[s], s)
	}
	if more := len(sets) - most; more > 1 {
		sets = append(sets[:most], fmt.Sprintf("and of %d more sets", more))
	}
	command, train, then := "run", out, ""
	if r := m.Missing.Request; r.Experiment != "" {
		_, _, folder, err := findForm(r.Experiment, r.Quick, nil)
		if err != nil {
			return err
		}
		command = "study"
		if filepath.Base(filepath.Clean(out)) == folder {
			train = filepath.Dir(filepath.Clean(out))
		} else { // milbench study trains into a folder of this name
			then = fmt.Sprintf(", and then %s %s --out %s merges them, too", again, filepath.Join(out, folder), out)
		}
	}
	return finding{fmt.Errorf("%d of %d fits are missing (%s); milbench %s --plan %s --out %s trains them%s",
		len(m.Missing.Fits), m.Planned, strings.Join(sets, ", "), command, path, train, then)}
}
