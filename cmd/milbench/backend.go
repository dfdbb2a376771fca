package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"synpool/backend"
)

// backend is the subcommand that says which backend runs, and installs a faster one.
func (p *program) backend() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "backend",
		Short: "Show which backend trains networks and how to get a faster one",
		Long: `The fastest installed backend runs, unless GOMLX_BACKEND names another: go, xla:cpu, xla:cuda, or
xla: followed by the path of a plugin. Only milbench backend install downloads one.

On Linux, graphs that XLA compiled for the CPU are kept in ~/.cache/synpool/xla, and later processes
load them. SYNPOOL_XLA_CACHE names another folder; SYNPOOL_XLA_CACHE=off keeps none.`,
		Example: "  milbench backend\n  GOMLX_BACKEND=go milbench backend --json",
		Args:    onlySubcommands,
		RunE: func(*cobra.Command, []string) error {
			choice, err := backend.New()
			if err != nil {
				return err
			}
			defer choice.Backend.Finalize()
			shown := struct {
				Backend string `json:"backend"`
				Plugin  string `json:"plugin,omitempty"`
				Reason  string `json:"reason"`
				Graphs  string `json:"compiled_graphs,omitempty"`
				Faster  string `json:"faster,omitempty"`
			}{choice.Config, choice.Plugin, choice.Reason, choice.Graphs(), choice.Hint}
			return p.print(asJSON, shown, func(w io.Writer) {
				for _, row := range [][2]string{{"backend", shown.Backend}, {"plugin", shown.Plugin}, {"why", shown.Reason}, {"compiled graphs", shown.Graphs}, {"faster", shown.Faster}} {
					if row[1] != "" || row[0] == "why" {
						fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
					}
				}
			})
		},
	}
	addJSON(c, &asJSON)
	c.AddCommand(&cobra.Command{
		Use:   "install",
		Short: "Install XLA for the CPU and print the steps for GPUs",
		Long: `It installs on Linux, on amd64 and arm64, with Python's pip, and checks a pinned sum. On macOS
(arm64) and Windows (amd64) it says which archive to unpack. A plugin that is already installed is
left alone.`,
		Example: "  milbench backend install",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return backend.Install(c.Context(), p.out)
		},
	})
	return c
}
