package main

import (
	"strings"
	"testing"

	"synpool/milbench/results"
)

// TestRunLearner: classical learners run alone and beside networks; where validation parts choose they bring their grid.
func TestRunLearner(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	for _, c := range []struct {
		more []string
		rows string
		fits int
	}{
		{[]string{"--learner", "instance"}, "instance", 3},
		{[]string{"--learner", "instance", "--pooling", "mean", "--width", "4", "--epochs", "2"}, "instance, mean", 6},
		{[]string{"--learner", "instance", "--protocol", "nested"}, "instance (chosen inside)", 12},
		{[]string{"--learner", "auto"}, "auto", 3},
	} {
		dir := newFolder(t)
		succeed(t, append([]string{"run", file, "--folds", "3", "--repeats", "1", "--out", dir}, c.more...)...)
		found, err := results.Read(dir)
		if err != nil || len(found) != c.fits {
			t.Fatalf("%v: %d results, want %d (%v)", c.more, len(found), c.fits, err)
		}
		table, err := results.Tabulate(found)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range table.Rows {
			names = append(names, row.Setting)
		}
		if got := strings.Join(names, ", "); got != c.rows {
			t.Errorf("%v: rows %s, want %s", c.more, got, c.rows)
		}
	}
	prints(t, "about 61 MB", "run", file, "--learner", "instance", "--folds", "3", "--repeats", "1", "--dry-run", "--out", newFolder(t))
}
