package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestReadme compares the subcommands and command lines of README.md with the command.
func TestReadme(t *testing.T) {
	file, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(file)

	var table strings.Builder
	table.WriteString("| subcommand | what it does |\n|:--|:--|\n")
	for _, c := range (&program{out: &sink{w: io.Discard}, err: io.Discard}).command().Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			fmt.Fprintf(&table, "| `milbench %s` | %s |\n", c.Name(), c.Short)
		}
	}
	if !strings.Contains(text, table.String()+"\n") {
		t.Errorf("README.md has another table of subcommands than\n%s", &table)
	}

	lines := 0
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		line = strings.TrimPrefix(line, "go run ./cmd/")
		if fenced && strings.HasPrefix(line, "milbench ") {
			lines++
			requireParses(t, line)
		}
	}
	if lines < 7 {
		t.Errorf("%d command lines found", lines)
	}

	// What the text claims of the demo is what the demo does.
	for _, s := range demoSettings {
		if !strings.Contains(text, "| "+s.name+" |") {
			t.Errorf("the results have no row %q", s.name)
		}
	}
	for _, code := range []int{exitDone, exitFinding, exitUse, exitTryAgain, 130, 143} {
		if !strings.Contains(text, fmt.Sprint(code, " ")) {
			t.Errorf("exit code %d is missing", code)
		}
	}
}
