package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"synpool/backend"
)

// sourceSum is a sum of the source, set by the linker where there is no version control, as in the image of docker/. So
// builds of different sources have different versions.
var sourceSum string

// tag is the version of a release, set by the linker (.goreleaser.yaml).
var tag string

// build says what the program was built from.
type build struct {
	Version  string `json:"version"`  // of the module
	Revision string `json:"revision"` // of the source, with +dirty if it was changed since; "unknown" outside a checkout
	Go       string `json:"go"`
	GoMLX    string `json:"gomlx"`
	Backends string `json:"backends"` // that are built in
	Platform string `json:"platform"` // that it was built for
}

func readBuild() build {
	b := build{Version: "unknown", Revision: "unknown", Go: runtime.Version(), GoMLX: "unknown",
		Backends: strings.Join(backend.Built(), ", "), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	switch {
	case tag != "":
		b.Version = tag
	case sourceSum != "" && b.Version == "(devel)":
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
		Short:   "Print the version, revision, backends and platform of this program",
		Example: "  milbench version\n  milbench version --json",
		Args:    arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := readBuild()
			return p.print(asJSON, b, func(w io.Writer) {
				fmt.Fprintf(w, "milbench %s, revision %s, %s, GoMLX %s, backends %s, %s\n", b.Version, b.Revision, b.Go, b.GoMLX, b.Backends, b.Platform)
			})
		},
	}
	addJSON(c, &asJSON)
	return c
}
