package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"synpool/backend"
	"synpool/milbench/learners/neural"
)

// The line about the Go backend says once what XLA would gain and how to get it; that about XLA does not.
func TestBackendLine(t *testing.T) {
	gain := fmt.Sprintf("XLA trains many fits about %d times as fast", neural.BlockSpeedup)
	for _, c := range []struct {
		choice   backend.Choice
		variable string
		want     string
	}{
		{backend.Choice{Config: "go", Reason: "no XLA plugin is installed", Hint: "milbench backend install"}, "",
			"backend go: no XLA plugin is installed; for a faster one: milbench backend install (" + gain + ")"},
		{backend.Choice{Config: "go", Reason: "this program was built without XLA", Hint: "build it with cgo and without -tags noxla"}, "",
			"backend go: this program was built without XLA; for a faster one: build it with cgo and without -tags noxla (" + gain + ")"},
		{backend.Choice{Config: "go", Reason: "GOMLX_BACKEND asks for it"}, "go",
			"backend go: GOMLX_BACKEND asks for it; " + gain + " (milbench backend install, then unset GOMLX_BACKEND)"},
		{backend.Choice{Config: "go:ops_sequential", Reason: "GOMLX_BACKEND asks for it"}, "go:ops_sequential",
			"backend go:ops_sequential: GOMLX_BACKEND asks for it; " + gain + " (milbench backend install, then unset GOMLX_BACKEND)"},
		{backend.Choice{Config: "go", Reason: "no XLA plugin is installed"}, "", // and there is none for this machine
			"backend go: no XLA plugin is installed"},
		{backend.Choice{Config: "xla:cpu", Reason: "the XLA plugin for the CPU is installed"}, "",
			"backend xla:cpu: the XLA plugin for the CPU is installed"},
		{backend.Choice{Config: "xla:cpu", Reason: "a CUDA device is there", Hint: "milbench backend install prints how"}, "",
			"backend xla:cpu: a CUDA device is there; for a faster one: milbench backend install prints how"},
	} {
		t.Setenv("GOMLX_BACKEND", c.variable)
		if got := backendLine(&c.choice); got != c.want {
			t.Errorf("%q, want\n%q", got, c.want)
		}
	}
}

// More cores than there are work, with a note, and give the same results.
func TestManyCores(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	run := func(cores string) (lines []string, stderr string) {
		dir := t.TempDir()
		_, stderr = succeed(t, with("run", file, "--pooling", "mean,syn", "--iterations", "2", "--folds", "2", "--repeats", "2", "--cores", cores, "--out", dir)...)
		return readResults(t, dir), columnNotes.ReplaceAllString(stderr, "")
	}
	want, stderr := run("1")
	if strings.Contains(stderr, "note:") {
		t.Errorf("a note of 1 core:\n%s", stderr)
	}
	got, stderr := run("100000")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Error("other results with more cores")
	}
	if strings.Count(stderr, "milbench: note: ") != 1 || !strings.Contains(stderr, " of 100000 cores used: ") {
		t.Errorf("no note, or more than one, of the cores:\n%s", stderr)
	}
	if os.Getenv("GOMLX_BACKEND") == "go" && strings.Count(stderr, "XLA") != 1 {
		t.Errorf("XLA is not named once:\n%s", stderr)
	}
}
