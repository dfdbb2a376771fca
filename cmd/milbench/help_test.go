package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// eachCommand calls f with every command that help shows.
func eachCommand(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			eachCommand(sub, f)
		}
	}
}

// TestHelp wants of every command and topic a first line of 8 to 12 words that says what it does, then an example, which its
// subcommand takes, and no line that is too long.
func TestHelp(t *testing.T) {
	root := (&program{out: &sink{w: io.Discard}, err: io.Discard}).command()
	help, _, err := root.Find([]string{"help"})
	must(t, err)
	t.Run("milbench help", func(t *testing.T) { requireHelp(t, help, "help", "help") })
	_, topics := below(root)
	for _, c := range topics {
		t.Run(title(c), func(t *testing.T) { requireHelp(t, c, "help", c.Name()) })
	}
	eachCommand(root, func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			requireHelp(t, c, append(strings.Fields(c.CommandPath())[1:], "--help")...)
			for line := range strings.Lines(c.Example) {
				requireParses(t, strings.TrimSpace(line))
			}
		})
	})
}

// requireHelp wants the help of a command, which args ask for, to keep the order of [writeHelp].
func requireHelp(t *testing.T, c *cobra.Command, args ...string) {
	t.Helper()
	out, stderr := succeed(t, args...)
	lines := strings.Split(out, "\n")
	if n := len(strings.Fields(lines[0])); n < 8 || n > 12 || !strings.HasSuffix(lines[0], ".") {
		t.Errorf("%d words in the first line %q; 8 to 12 and a full stop are needed", n, lines[0])
	}
	first, _ := examples(c)
	if start := []string{lines[0], "", "Example:", "  " + first, ""}; first == "" || stderr != "" || !slices.Equal(lines[:min(len(lines), 5)], start) {
		t.Errorf("help does not start with %q:\n%s%s", start, out, stderr)
	}
	has(t, out, c.Long)
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > helpWidth {
			t.Errorf("%d characters in the line %q; %d is the most", n, line, helpWidth)
		}
	}
}

// requireParses wants the flags and arguments of an example to be what its subcommand takes.
func requireParses(t *testing.T, example string) {
	t.Helper()
	words := strings.Fields(example)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:] // the environment
	}
	if len(words) == 0 || words[0] != "milbench" {
		t.Fatalf("example %q does not call milbench", example)
	}
	root := (&program{out: &sink{w: io.Discard}, err: io.Discard}).command()
	c, rest, err := root.Find(words[1:])
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err == nil && c.PreRunE != nil {
		err = c.PreRunE(c, c.Flags().Args())
	}
	if err != nil {
		t.Errorf("example %q: %v", example, err)
	}
}

func TestHelpSubcommand(t *testing.T) {
	for args, want := range map[string]string{
		"":                "\nCommands:\n",
		"help":            "\nCommands:\n",
		"help run":        "milbench run NAME|FILE... --out DIR",
		"help files":      "labels.csv",
		"shards":          "--shard /n",
		"help data fetch": "milbench data fetch NAME...",
		"data":            "\nCommands:\n",
		"completion bash": "bash completion",
	} {
		if out, stderr := succeed(t, strings.Fields(args)...); !strings.Contains(out, want) || stderr != "" {
			t.Errorf("milbench %s: no %q in\n%s%s", args, want, out, stderr)
		}
	}
}
