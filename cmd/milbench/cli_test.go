package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write docs/cli.md anew")

// TestCommandPage compares docs/cli.md with the command. With -update it writes the page.
func TestCommandPage(t *testing.T) {
	const path = "../../docs/cli.md"
	page := commandPage((&program{out: &sink{w: io.Discard}, err: io.Discard}).command())
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(file) != page {
		t.Error("docs/cli.md is not of this command; run: go test ./cmd/milbench -run CommandPage -update")
	}
	for _, code := range []int{exitDone, exitFinding, exitUse, exitTryAgain, 130, 143} {
		if !strings.Contains(page, fmt.Sprint(code, " ")) {
			t.Errorf("exit code %d is missing", code)
		}
	}
}

// commandPage describes a command and all its subcommands in Markdown.
func commandPage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The command\n\nWritten by `go test ./cmd/milbench -run CommandPage -update` from the help texts of `%s`.\n\n%s\n\n", root.Name(), rest(root.Long))
	b.WriteString("| subcommand | what it does |\n|:--|:--|\n")
	for _, c := range shown(root) {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
	}
	for _, c := range shown(root) {
		describe(&b, c)
	}
	return b.String()
}

// shown are the subcommands that a user sees.
func shown(c *cobra.Command) (all []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" {
			all = append(all, sub)
		}
	}
	return all
}

// rest is a text after its first paragraph, which stands elsewhere.
func rest(long string) string {
	_, after, _ := strings.Cut(long, "\n\n")
	return strings.TrimSpace(after)
}

// describe writes the section of a command, and of those below it.
func describe(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", c.CommandPath(), strings.TrimSuffix(c.Short, "."))
	if text := rest(c.Long); text != "" {
		fmt.Fprintf(b, "\n%s\n", text)
	}
	if c.Runnable() {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(b, "\nExamples:\n\n```\n%s\n```\n", strings.TrimSpace(strings.ReplaceAll(c.Example, "\n  ", "\n")))
	}
	var rows strings.Builder
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		kind, text := pflag.UnquoteUsage(f)
		value := f.DefValue
		switch {
		case f.Name == "cores":
			value = "all" // a number that differs from machine to machine
		case value == "false", value == "[]", value == "0":
			value = ""
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", strings.TrimSpace("--"+f.Name+" "+kind), strings.ReplaceAll(text, "|", `\|`), strings.ReplaceAll(value, "|", `\|`))
	})
	if rows.Len() > 0 {
		fmt.Fprintf(b, "\n| flag | what it does | default |\n|:--|:--|:--|\n%s", &rows)
	}
	for _, sub := range shown(c) {
		describe(b, sub)
	}
}
