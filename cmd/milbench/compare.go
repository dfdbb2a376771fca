package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"synpool/milbench/charts"
	"synpool/milbench/results"
)

// compare is the subcommand that compares learners on the same folds.
func (p *program) compare() *cobra.Command {
	var (
		with   string
		rope   float64
		file   string
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "compare DIR...",
		Short: "Test whether learners differ on the same folds, by set and overall",
		Long: `The folders are those of milbench run and milbench score. All their settings are compared with one:
the setting of --with, named as in milbench table, or else the one with the best figures.

Two settings are paired over the folds of all repeats. Both must be trained and tested on the same
bags, so use the same --seed, --folds and --repeats for both.

For each set the table has:
  difference    of the main figures (AUC, macro AUC, R², concordance), with its 95 % interval by
                the corrected resampled t-test
  probability   that one is better, the same in practice (within --rope) or worse, by the
                Bayesian correlated t-test

Over six sets or more it adds Wilcoxon's test, the Bayesian signed-rank test, and how many sets are
won, tied and lost.`,
		Example: "  milbench compare results\n  milbench compare results --with mean --out differences.png\n  milbench compare results scored --rope 0.02 --json",
		Args:    arguments(1, 0),
		RunE: func(_ *cobra.Command, dirs []string) error {
			var all []results.Result
			for _, dir := range dirs {
				rs, err := results.Read(dir)
				if err != nil {
					return err
				}
				if len(rs) == 0 {
					return fmt.Errorf("%s: %w", dir, results.ErrNoResults)
				}
				all = append(all, rs...)
			}
			table, err := results.Tabulate(all)
			if err != nil {
				return err
			}
			for _, n := range table.Notes {
				p.remark(n)
			}
			comparison, err := table.Compare(with, rope)
			if err != nil {
				return err
			}
			if file != "" {
				figure, err := charts.Comparison(comparison)
				if err != nil {
					return fmt.Errorf("--out: %w", err)
				}
				if err := p.save(figure, file); err != nil {
					return err
				}
			}
			return p.report(asJSON, comparison)
		},
	}
	c.Flags().StringVar(&with, "with", "", "`setting` to compare the others with (default the one with the best figures)")
	c.Flags().Float64Var(&rope, "rope", results.Rope, "largest difference of the figure between two settings that are the same in practice")
	c.Flags().StringVar(&file, "out", "", "`file` to draw the differences into: .png, .svg or .pdf")
	addJSON(c, &asJSON)
	return c
}
