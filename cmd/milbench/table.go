package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"synpool/milbench/results"
)

// table is the subcommand that tabulates a results folder.
func (p *program) table() *cobra.Command {
	var format string
	var asJSON bool
	c := &cobra.Command{
		Use:   "table DIR",
		Short: "Print the results of a folder as a table with intervals",
		Long: `The main figure is the AUC for two classes, the macro AUC for more, R² for numbers and the
concordance for survival. In each repeat it is averaged over the folds. The table has the mean, the
standard deviation and the 95 % interval over repeats. With fewer than three repeats they are over
folds or, for two classes, over test bags. Sentences below it say what can be told apart.

You can also print the table while milbench run is still running.

Marks:
  optimistic   figures under the protocols published and best-epoch
  LEAKED       figures of sets with a column that leaks the labels
  bold         in HTML, the best figure of a set if all other rows are worse beyond chance`,
		Example: "  milbench table results\n  milbench table results --format tex",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			if asJSON {
				format = "json"
			}
			if !slices.Contains(results.Formats, format) {
				return results.Table{}.Write(p.out, format) // names the formats
			}
			return p.writeTable(args[0], format)
		},
	}
	c.Flags().StringVar(&format, "format", results.Formats[0], "`format` of the table: "+strings.Join(results.Formats, ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON, like --format json")
	c.MarkFlagsMutuallyExclusive("format", "json")
	return c
}

// tabulated writes the table of a folder after a run that ended with err, unless it was stopped. After failed fits there may be no results.
func (p *program) tabulated(err error, dir, format string) error {
	if err != nil && !errors.As(err, new(finding)) {
		return err
	}
	if tableErr := p.writeTable(dir, format); tableErr != nil && !(err != nil && errors.Is(tableErr, results.ErrNoResults)) {
		return errors.Join(err, tableErr)
	}
	return err
}

// writeTable tabulates the results of a folder.
func (p *program) writeTable(dir, format string) error {
	rs, err := results.Read(dir)
	if err != nil {
		return err
	}
	if len(rs) == 0 {
		return fmt.Errorf("%s: %w", dir, results.ErrNoResults)
	}
	p.unmerged(dir)
	table, err := results.Tabulate(rs)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	table.Rank()
	if format == "csv" || format == "json" {
		for _, n := range table.Notes {
			p.remark(n)
		}
		for _, v := range table.Verdicts {
			p.note("%s", v)
		}
	}
	return table.Write(p.out, format)
}
