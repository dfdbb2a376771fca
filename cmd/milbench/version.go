package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// sourceSum is a sum of the source, set by the linker where there is no version control, as in the image of docker/: what
// different sources made is not to be taken for one version.
var sourceSum string

// build says what the program was built from.
type build struct {
	Version  string `json:"version"`  // of the module
	Revision string `json:"revision"` // of the source, with +dirty if it was changed since; "unknown" outside a checkout
	Go       string `json:"go"`
	GoMLX    string `json:"gomlx"`
}

func readBuild() build {
	b := build{Version: "unknown", Revision: "unknown", Go: runtime.Version(), GoMLX: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	if sourceSum != "" && b.Version == "(devel)" {
		b.Version = "devel-" + sourceSum
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if b.Revision != "unknown" {
		b.Revision += dirty
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/gomlx/gomlx" {
			b.GoMLX = d.Version
		}
	}
	return b
}

// version is the subcommand that prints what the program was built from.
func (p *program) version() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of this program, Go and GoMLX",
		Example: "  milbench version\n  milbench version --json",
		Args:    arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			if asJSON {
				return p.writeJSON(b)
			}
			fmt.Fprintf(p.out, "milbench %s, revision %s, %s, GoMLX %s\n", b.Version, b.Revision, b.Go, b.GoMLX)
			return nil
		},
	}
	addJSON(c, &asJSON)
	return c
}
