package main

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRun: both networks have their result, and other seeds and Syn steps checkpoints of their own.
func TestRun(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go") // which compiles nothing
	folder := t.TempDir()
	for _, arguments := range []string{"-seed 1", "-syn -2 -seed 2"} {
		var out bytes.Buffer
		if err := run(t.Context(), append(strings.Fields("-quick -epochs 1 "+arguments), "-checkpoints", folder), &out); err != nil {
			t.Fatalf("%s: %v", arguments, err)
		}
		for _, want := range []string{
			`(?m)^hops 1: \d+\.\d % right of 3\d\d new stories, weight on the fact that matters \[0\.\d\d\], \S+s$`,
			`(?m)^hops 2: \d+\.\d % right of 3\d\d new stories, weight on the fact that matters \[0\.\d\d 0\.\d\d\], \S+s$`,
			`(?m)^  \S.*? +0\.\d\d 0\.\d\d$`,
			`(?m)^  where is .*\? \w+ \(answered \w+\)$`,
		} {
			if !regexp.MustCompile(want).MatchString(out.String()) {
				t.Errorf("%s: prints %q, want %s", arguments, &out, want)
			}
		}
	}
	var names []string
	files, err := os.ReadDir(folder)
	for _, f := range files {
		names = append(names, f.Name())
	}
	want := []string{
		"1-hops-+0-Syn-steps-seed-1.checkpoint", "1-hops--2-Syn-steps-seed-2.checkpoint",
		"2-hops-+0-Syn-steps-seed-1.checkpoint", "2-hops--2-Syn-steps-seed-2.checkpoint",
	}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("checkpoints %q, want %q: %v", names, want, err)
	}
}
