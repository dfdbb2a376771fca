package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"synpool/milbench/results"
)

// merge is the subcommand that puts the results of shards together.
func (p *program) merge() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "merge DIR... --out DIR",
		Short: "Join the results of shards or of several machines",
		Long: `Concatenates the results in the folders, and the attempts in them and in the folder of --out, into
results.jsonl in that folder. Curves, spaces and times are joined, too. Each fit is there once.
Attempts stay in place, so you can merge more later.

If attempts of one fit have different scores, a note names the fit, and the first one is kept.
Results of different versions or backends are refused.

milbench run and milbench study with the same arguments and --out, but without --shard, merge the
attempts in it, train what is missing and print the table.`,
		Example: "  milbench merge results --out results\n  milbench merge node1/results node2/results --out merged",
		Args:    arguments(1, 0),
		RunE:    func(c *cobra.Command, args []string) error { return p.mergeInto(c.Context(), args, out) },
	}
	c.Flags().StringVar(&out, "out", "", "`folder` of the merged results, made if it is missing (required)")
	required(c, "out")
	return c
}

// mergeInto merges folders, and the attempts in them and in out, into out.
func (p *program) mergeInto(ctx context.Context, dirs []string, out string) error {
	bar, start := p.progress(), time.Now()
	bar.show(func() string { return fmt.Sprintf("merging for %v", time.Since(start).Round(time.Second)) })
	m, err := results.Merge(ctx, dirs, out)
	bar.clear()
	if err != nil {
		return err
	}
	p.note("%d results, %d duplicates left out, %d curves, %d spaces; in %s", m.Results, m.Duplicates, m.Curves, m.Spaces, filepath.Join(out, results.FileName))
	for _, r := range m.Disagreeing {
		p.note("note: attempts of one fit disagree in scores: %s: repeat %d, fold %d, seed %d, %s", r.Set, r.Repeat+1, r.Fold+1, r.Seed, r.Config)
	}
	if more := m.Disagreements - len(m.Disagreeing); more > 0 {
		p.note("note: and %d more, %d in all", more, m.Disagreements)
	}
	return nil
}
