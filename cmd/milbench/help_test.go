package main

import (
	"io"
	"strings"
	"testing"

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

func TestHelp(t *testing.T) {
	eachCommand((&program{out: &sink{w: io.Discard}, err: io.Discard}).command(), func(c *cobra.Command) {
		t.Run(c.CommandPath(), func(t *testing.T) {
			out, stderr := succeed(t, append(strings.Fields(c.CommandPath())[1:], "--help")...)
			description := c.Long
			if description == "" {
				description = c.Short
			}
			if stderr != "" || !strings.HasPrefix(out, description) || !strings.Contains(out, "Examples:") {
				t.Errorf("help without its description or an example:\n%s%s", out, stderr)
			}
			if c.Example == "" {
				t.Error("no example")
			}
			for line := range strings.Lines(c.Example) {
				requireParses(t, strings.TrimSpace(line))
			}
		})
	})
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

// Every subcommand that prints a table has --json.
func TestJSONFlag(t *testing.T) {
	root := (&program{}).command()
	for _, path := range []string{"demo", "data list", "data verify", "audit", "run", "table", "show", "predict", "evaluate", "backend", "version"} {
		c, _, err := root.Find(strings.Fields(path))
		if err != nil || c.Flag("json") == nil {
			t.Errorf("milbench %s has no flag --json (%v)", path, err)
		}
	}
}

func TestHelpSubcommand(t *testing.T) {
	for args, want := range map[string]string{
		"":                "Available Commands:",
		"help":            "Available Commands:",
		"help run":        "milbench run NAME|FILE... --out DIR",
		"help data fetch": "milbench data fetch NAME...",
		"data":            "Available Commands:",
		"completion bash": "bash completion",
	} {
		if out, stderr := succeed(t, strings.Fields(args)...); !strings.Contains(out, want) || stderr != "" {
			t.Errorf("milbench %s: no %q in\n%s%s", args, want, out, stderr)
		}
	}
}
