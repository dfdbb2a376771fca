package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"
)

// TestRun: every pooling has its line and a checkpoint for each seed.
func TestRun(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go") // which compiles nothing
	folder := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-quick", "-epochs", "1", "-sets", "100", "-repeats", "2", "-checkpoints", folder}, &out); err != nil {
		t.Fatal(err)
	}
	if want := `^outliers ranked first, % of the sets; chance 20\.0, distance from the mean \d+\.\d\n`; !regexp.MustCompile(want).MatchString(out.String()) {
		t.Errorf("prints %q, want %s", &out, want)
	}
	_, names := compared()
	for _, name := range names {
		if want := `(?m)^` + regexp.QuoteMeta(name) + ` +\d+\.\d ± \d+\.\d over 2 seeds, \S+s$`; !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("prints %q, want %s", &out, want)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(names) != 7 || len(files) != 2*len(names) {
		t.Errorf("%d poolings, %d checkpoints: %v", len(names), len(files), err)
	}
}
