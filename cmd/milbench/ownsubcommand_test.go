package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"synpool/milbench/dataset"
)

// count is a subcommand in one file: a method of program that returns a cobra command, and a word in its list, in command.go.
func (p *program) count() *cobra.Command {
	return &cobra.Command{
		Use:   "count NAME|FILE",
		Short: "Count the instances of a set",
		Args:  arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			source, err := dataset.Open(args[0])
			if err != nil {
				return err // one line that names the file; start turns it into an exit code
			}
			_, err = fmt.Fprintln(p.out, source.Stored.NumInstances())
			return err
		},
	}
}

// TestOwnSubcommand runs a subcommand as [program.execute] does.
func TestOwnSubcommand(t *testing.T) {
	for argument, want := range map[string]string{"musk1": "476\n", "nowhere.csv": ""} {
		var out strings.Builder
		p := &program{out: &sink{w: &out}, err: &out}
		root := p.command()
		root.AddCommand(p.count())
		root.SetArgs([]string{"count", argument})
		if err := root.Execute(); (err == nil) != (want != "") || out.String() != want {
			t.Errorf("%s: %q, %v", argument, out.String(), err)
		}
	}
}
