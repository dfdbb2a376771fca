package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFoldsScore hands folds to a program, here the test, and takes its scores: their row stands beside that of a run with the same folds.
func TestFoldsScore(t *testing.T) {
	dir := t.TempDir()
	file := write(t, "own.csv", toy(false))
	folds, out := filepath.Join(dir, "folds.csv"), filepath.Join(dir, "results")
	told, _ := succeed(t, "folds", file, "--folds", "3", "--repeats", "2", "--out", folds)
	if !strings.Contains(told, "2 repeats of 3 folds in "+folds) {
		t.Error(told)
	}
	refuse(t, exitUse, "is there already", "folds", file, "--folds", "3", "--out", folds)
	text, err := os.ReadFile(folds)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	scores := "bag,repeat,fold,score\n"
	for k, l := range lines[1:] {
		scores += fmt.Sprintf("%s,%s,%s,%d\n", l[0], l[4], l[5], k%7)
	}
	own := write(t, "scores.csv", scores)
	succeed(t, "run", file, "--folds", "3", "--repeats", "2", "--learner", "statistics-svm", "--out", out)
	table, notes := succeed(t, "score", own, "--folds", folds, "--name", "my model", "--out", out)
	for _, want := range []string{"| own | my model ", "| own | statistics-svm ", "honest, 3 folds, declared |", "declared: the scores are those of their author", "own: "} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
	if !strings.Contains(notes, "6 results of my model added") {
		t.Error(notes)
	}
	cut := write(t, "cut.csv", scores[:strings.LastIndex(strings.TrimSpace(scores), "\n")+1])
	none := filepath.Join(dir, "none")
	refuse(t, exitUse, "has no score in repeat 1", "score", cut, "--folds", folds, "--name", "cut", "--out", none)
	if _, err := os.Stat(none); err == nil {
		t.Error("a folder was made")
	}
	refuse(t, exitUse, "--folds and --name are needed", "score", own, "--out", out)
	refuse(t, exitUse, `--format "cla": no such format`, "folds", file, "--format", "cla", "--out", none)
}

// TestFoldsCLAM: split files as CLAM reads them, which our reader reads, too.
func TestFoldsCLAM(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "splits")
	file := write(t, "own.csv", toy(false))
	succeed(t, "folds", file, "--folds", "3", "--repeats", "2", "--format", "clam", "--out", dir)
	for k := range 6 {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("splits_%d.csv", k)))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		if err != nil || strings.Join(lines[0], ",") != ",train,val,test" {
			t.Fatalf("%q, %v", lines, err)
		}
		seen := map[string]bool{}
		for _, l := range lines[1:] {
			for _, id := range l[1:] {
				if seen[id] && id != "" {
					t.Errorf("split %d has %s twice", k, id)
				}
				seen[id] = true
			}
		}
		succeed(t, "audit", file, "--split", filepath.Join(dir, fmt.Sprintf("splits_%d.csv", k)))
	}
	if _, err := os.Stat(filepath.Join(dir, "folds.csv")); err != nil {
		t.Error(err)
	}
}
