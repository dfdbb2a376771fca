package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// man is the subcommand that writes manual pages.
func (p *program) man() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man --out DIR",
		Short: "Write manual pages, one per subcommand, for the program man",
		Long: `The archives of a release have these pages. They belong to section 1: after --out DIR/man1,
man -M DIR milbench-run shows the page of milbench run.`,
		Example: "  milbench man --out man1\n  milbench man --out ~/.local/share/man/man1",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return err
			}
			root := p.command() // one of its own: what follows changes it
			forPages(root)
			made := sourceTime()
			header := &doc.GenManHeader{Section: "1", Source: "milbench " + readBuild().Version, Manual: "Milbench", Date: &made}
			if err := doc.GenManTreeFromOpts(root, doc.GenManTreeOptions{Header: header, Path: dir, CommandSeparator: "-"}); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			return nil
		},
	}
	c.Flags().StringVar(&dir, "out", "", "`folder` of the pages, made if it is missing (required)")
	required(c, "out")
	return c
}

// forPages takes from c and the commands below it what would differ from machine to machine or from day to day, and writes their help texts as
// Markdown, which the generator of manual pages reads.
func forPages(c *cobra.Command) {
	c.DisableAutoGenTag, c.Long = true, inMarkdown(c.Long)
	if f := c.Flags().Lookup("cores"); f != nil {
		f.DefValue = "all"
	}
	for _, sub := range c.Commands() {
		forPages(sub)
	}
}

// sourceTime returns when the source was committed, or where that is not known the start of time.
func sourceTime() time.Time {
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, s := range info.Settings {
			if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
				return at
			}
		}
	}
	return time.Unix(0, 0).UTC()
}
