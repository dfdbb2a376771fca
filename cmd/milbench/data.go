package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"synpool/internal/fetch"
	"synpool/milbench/dataset"
)

// data is the subcommand for the named sets.
func (p *program) data() *cobra.Command {
	c := &cobra.Command{
		Use:     "data COMMAND",
		Short:   "List, download and verify the sets that milbench knows by name",
		Long:    `Files are kept in the folder MILBENCH_DATA or, without it, in milbench in the user's cache folder.`,
		Example: "  milbench data list\n  milbench data fetch elephant fox tiger",
		Args:    onlySubcommands,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.dataList(), p.dataFetch(), p.dataVerify())
	return c
}

func (p *program) dataList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the named sets and whether each is on this machine",
		Example: "  milbench data list\n  milbench data list --json",
		Args:    arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			type row struct {
				dataset.Entry
				State dataset.State `json:"state"`
			}
			var rows []row
			for _, e := range dataset.Catalog() {
				state, _ := e.Verify() // `data verify` says why
				rows = append(rows, row{e, state})
			}
			return p.print(asJSON, rows, func(w io.Writer) {
				fmt.Fprintln(w, "NAME\tTITLE\tBAGS\tPOSITIVE\tINSTANCES\tFEATURES\tLICENCE\tSTATE")
				for _, r := range rows {
					fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", r.Name, r.Title, r.Bags, r.Positive, r.Instances, r.Features, r.Licence, r.State)
				}
			})
		},
	}
	addJSON(c, &asJSON)
	return c
}

func (p *program) dataFetch() *cobra.Command {
	return &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Download named sets and check them against their known checksums",
		Long: `The name all stands for all sets. An interrupted download resumes. A file gets its name only after
its checksum was found right.`,
		Example: "  milbench data fetch elephant fox tiger\n  milbench data fetch all",
		Args:    arguments(1, 0),
		RunE: func(c *cobra.Command, args []string) error {
			entries, err := entries(args)
			if err != nil {
				return err
			}
			var progress fetch.Progress
			if terminal := p.terminal(); terminal != nil {
				progress = fetch.Terminal(terminal)
			}
			var errs []error
			for i, e := range entries {
				err := context.Cause(c.Context()) // at which a set that is there already does not look
				if err != nil {
					err = fmt.Errorf("%d of %d sets are left: %w", len(entries)-i, len(entries), err)
				} else {
					err = e.Fetch(c.Context(), progress)
				}
				if err != nil {
					errs = append(errs, err)
					if c.Context().Err() != nil {
						break
					}
					continue
				}
				paths, err := e.Paths()
				if err != nil && len(e.Files) > 0 {
					return err
				}
				if len(e.Files) == 0 {
					state, _ := e.Verify()
					paths = []string{string(state) + ", nothing to fetch"}
				}
				fmt.Fprintf(p.out, "%s: %s\n", e.Name, strings.Join(paths, ", "))
			}
			return errors.Join(errs...)
		},
	}
}

func (p *program) dataVerify() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify [NAME...]",
		Short: "Check the downloaded files of named sets against their checksums",
		Long: `Without a name it checks all sets. A damaged file is an error. A missing file is an error only if
you name its set.`,
		Example: "  milbench data verify\n  milbench data verify elephant --json",
		RunE: func(_ *cobra.Command, args []string) error {
			named := len(args) > 0
			if !named {
				args = []string{everySet}
			}
			entries, err := entries(args)
			if err != nil {
				return err
			}
			type row struct {
				Name  string        `json:"name"`
				State dataset.State `json:"state"`
			}
			var rows []row
			var errs []error
			for _, e := range entries {
				state, err := e.Verify()
				rows = append(rows, row{e.Name, state})
				if named || state != dataset.Missing {
					errs = append(errs, err)
				}
			}
			err = p.print(asJSON, rows, func(w io.Writer) {
				for _, r := range rows {
					fmt.Fprintf(w, "%s\t%s\n", r.Name, r.State)
				}
			})
			return errors.Join(append(errs, err)...)
		},
	}
	addJSON(c, &asJSON)
	return c
}

// everySet is the name that stands for all named sets.
const everySet = "all"

// entries returns the entries of names, each once.
func entries(names []string) ([]dataset.Entry, error) {
	var found []dataset.Entry
	seen := make(map[string]bool)
	for _, name := range names {
		some := dataset.Catalog()
		if name != everySet {
			e, err := dataset.Find(name)
			if err != nil {
				return nil, err
			}
			some = []dataset.Entry{e}
		}
		for _, e := range some {
			if !seen[e.Name] {
				seen[e.Name] = true
				found = append(found, e)
			}
		}
	}
	return found, nil
}
