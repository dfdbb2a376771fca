package main

import (
	"bytes"
	"os"
	"regexp"
	"testing"

	"synpool/course/examples/fit/fittest"
)

// TestRun: every pooling of a task has its line and a checkpoint for each seed.
func TestRun(t *testing.T) {
	t.Setenv("GOMLX_BACKEND", "go") // which compiles nothing
	_, names := compared()
	for task, want := range map[string]struct {
		title string
		names []string
	}{
		"outliers": {`outliers ranked first, % of the sets; chance 20\.0, distance from the mean \d+\.\d`, names},
		"statistic": {`mutual information missed by, thousandths of a nat; the mean of all \d+\.\d, plug-in \d+\.\d`,
			[]string{"sum, statistic", "mean, statistic"}},
	} {
		folder := t.TempDir()
		var out bytes.Buffer
		arguments := []string{"-quick", "-epochs", "1", "-sets", "100", "-repeats", "2", "-checkpoints", folder, "-task", task}
		if err := run(t.Context(), arguments, &out); err != nil {
			t.Fatal(err)
		}
		pattern := "^" + want.title + "\n"
		for _, name := range want.names {
			pattern += regexp.QuoteMeta(name) + ` +\d+\.\d ± \d+\.\d over 2 seeds, \S+s\n`
		}
		if !regexp.MustCompile(pattern + "$").MatchString(out.String()) {
			t.Errorf("%s prints %q, want %s", task, &out, pattern)
		}
		files, err := os.ReadDir(folder)
		if err != nil || len(files) != 2*len(want.names) {
			t.Errorf("%s: %d poolings, %d checkpoints: %v", task, len(want.names), len(files), err)
		}
	}
	fittest.RequireArguments(t, run, map[string]string{"-task all": "-task all; give outliers or statistic"})
}
