package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md and the recordings of docs/pictures")

// TestCommandPage compares docs/cli.md with the command. With -update it writes the page.
func TestCommandPage(t *testing.T) {
	const path = "../../docs/cli.md"
	page := commandPage((&program{out: &sink{w: io.Discard}, err: io.Discard}).command())
	if *update {
		put(t, path, page)
	}
	file := contents(t, path)
	if string(file) != page {
		t.Error("docs/cli.md differs from this command; run: go test ./cmd/milbench -run CommandPage -update")
	}
	for _, code := range []int{exitDone, exitFinding, exitUse, exitTryAgain, 130, 143} {
		has(t, page, fmt.Sprint(code, " "))
	}
}

// commandPage describes a command and all its subcommands in Markdown.
func commandPage(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# The command\n\nWritten by `go test ./cmd/milbench -run CommandPage -update` from the help texts of `%s`.\n\n%s\n\n", root.Name(), inMarkdown(root.Long))
	b.WriteString("| subcommand | what it does |\n|:--|:--|\n")
	commands, topics := below(root)
	all := append(commands, topics...)
	for _, c := range all {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", title(c), strings.ReplaceAll(title(c), " ", "-"), c.Short)
	}
	for _, c := range all {
		describe(&b, c)
	}
	return b.String()
}

// title is how a command or a topic of help is called.
func title(c *cobra.Command) string {
	if c.IsAdditionalHelpTopicCommand() {
		return c.Parent().CommandPath() + " help " + c.Name()
	}
	return c.CommandPath()
}

// describe writes the section of a command, and of those below it.
func describe(b *strings.Builder, c *cobra.Command) {
	first, more := examples(c)
	fmt.Fprintf(b, "\n## %s\n\n%s.\n", title(c), c.Short)
	fmt.Fprintf(b, "\n```\n%s\n```\n", first)
	if c.Long != "" {
		fmt.Fprintf(b, "\n%s\n", inMarkdown(c.Long))
	}
	if c.Runnable() {
		fmt.Fprintf(b, "\n**Usage**\n\n```text\n%s\n```\n", c.UseLine())
	}
	if more != "" {
		fmt.Fprintf(b, "\n**More examples**\n\n```\n%s\n```\n", strings.TrimSpace(strings.ReplaceAll(more, "\n  ", "\n")))
	}
	for _, group := range flagGroups(c.LocalFlags()) {
		var rows strings.Builder
		group.flags.VisitAll(func(f *pflag.Flag) {
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
			fmt.Fprintf(b, "\n**%s**\n\n| flag | what it does | default |\n|:--|:--|:--|\n%s", group.heading, &rows)
		}
	}
	commands, _ := below(c)
	for _, sub := range commands {
		describe(b, sub)
	}
}
