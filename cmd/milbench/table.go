package main

import (
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
		Short: "Tabulate the results of a folder",
		Long: `Tabulate the results of a folder that milbench run filled, also while it is running.

The main figure is the AUC of two classes, the macro AUC of more, R² of real targets and the concordance of survival. Of a repeat it is the
mean over its folds; the table has mean, standard deviation and 95 % interval over repeats or, of fewer than three, over folds or, of two classes,
test bags. It ends with what can be told apart. In HTML the best figure of a set is bold where all other rows are worse
beyond chance.
Figures under the protocols published and best-epoch are marked optimistic, those of sets with a column that leaks the
labels LEAKED.`,
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
	c.Flags().StringVar(&format, "format", results.Formats[0], "one of "+strings.Join(results.Formats, ", "))
	c.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	return c
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
			p.note("note: %s", n)
		}
		for _, v := range table.Verdicts {
			p.note("%s", v)
		}
	}
	return table.Write(p.out, format)
}
