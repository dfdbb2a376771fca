package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/milbench/results"
)

// TestCompare compares settings of two folders, as text, as JSON and as a figure.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	a, b, figure := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "differences.svg")
	file := write(t, "toy.csv", toy(false))
	common := []string{"--folds", "3", "--repeats", "1", "--epochs", "2", "--width", "4"}
	succeed(t, append([]string{"run", file, "--pooling", "mean", "--out", a}, common...)...)
	succeed(t, append([]string{"run", file, "--pooling", "max", "--out", b}, common...)...)
	out, stderr := succeed(t, "compare", a, b, "--with", "mean", "--out", figure)
	if !strings.Contains(out, "| toy ") || !strings.Contains(out, "3 folds") || !strings.Contains(stderr, "drawn: ") {
		t.Errorf("%s\n%s", out, stderr)
	}
	if drawn, err := os.ReadFile(figure); err != nil || !strings.Contains(string(drawn), "<svg") {
		t.Errorf("%v", err)
	}
	out, _ = succeed(t, "compare", a, b, "--json")
	var c results.Comparison
	if err := json.Unmarshal([]byte(out), &c); err != nil || len(c.Sets) != 1 || c.Sets[0].Pairs != 3 || c.Rope != results.Rope || !c.Chosen {
		t.Errorf("%+v, %v", c, err)
	}
	refuse(t, exitUse, `"men" is no setting of the table; did you mean "mean"?`, "compare", a, "--with", "men")
	refuse(t, exitUse, "there is nothing to compare", "compare", a)
	refuse(t, exitUse, "no results", "compare", dir)
}
