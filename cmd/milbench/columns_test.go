package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestColumns: a run, and the shards of its plan, take the columns that flags name or that usual names tell.
func TestColumns(t *testing.T) {
	dir := t.TempDir()
	text := strings.Replace(toy(false), "bag,label,p,q,r", "where,grade,fold,q,kind", 1)
	text = strings.ReplaceAll(text, ",", ";")
	for i, word := range []string{"low", "high"} { // the last column has words
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for k := 1 + i; k < len(lines); k += 2 {
			lines[k] = lines[k][:strings.LastIndex(lines[k], ";")+1] + word
		}
		text = strings.Join(lines, "\n") + "\n"
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for k := 3; k < len(lines); k += 3 { // and q lacks values
		fields := strings.Split(lines[k], ";")
		fields[3] = "NA"
		lines[k] = strings.Join(fields, ";")
	}
	text = strings.Join(lines, "\n") + "\n"
	file := write(t, "words.csv", text)
	flags := []string{"--bag", "where", "--categorical", "kind", "--as-features", "fold", "--missing", "median", "--learner", "statistics-svm", "--folds", "3", "--repeats", "1"}
	_, notes := succeed(t, append([]string{"run", file, "--out", filepath.Join(dir, "run")}, flags...)...)
	if want := file + `: label is the column "grade" (--label)`; !strings.Contains(notes, want) {
		t.Errorf("no %q in %s", want, notes)
	}
	plan := filepath.Join(dir, "plan.json")
	succeed(t, append([]string{"plan", "run", file, "--shards", "1", "--out", plan}, flags...)...)
	succeed(t, "run", "--plan", plan, "--out", filepath.Join(dir, "shards"), "--shard", "0/1")
	succeed(t, "merge", filepath.Join(dir, "shards"), "--out", filepath.Join(dir, "merged"))
	table := func(folder string) string {
		text, _ := succeed(t, "table", filepath.Join(dir, folder))
		return text
	}
	if run, shards := table("run"), table("merged"); run != shards {
		t.Errorf("a run\n%s\nshards\n%s", run, shards)
	}
	model := filepath.Join(dir, "model")
	succeed(t, "train", file, "--bag", "where", "--categorical", "kind", "--as-features", "fold", "--missing", "median", "--learner", "statistics-trees", "--out", model)
	scores, notes := succeed(t, "predict", model, file, "--bag", "where")
	if want := "the median of what the model was trained on stands for them"; !strings.Contains(notes, want) || len(strings.Split(scores, "\n")) < 4 {
		t.Errorf("no %q in %s, or too few scores: %s", want, notes, scores)
	}
	refuse(t, exitUse, "in q (", "run", file, "--bag", "where", "--categorical", "kind", "--out", filepath.Join(dir, "none"))
	refuse(t, exitUse, "--missing", "run", file, "--missing", "mean", "--out", filepath.Join(dir, "none"))
	refuse(t, exitUse, "--missing is for files", "run", "musk1", "--missing", "median", "--out", filepath.Join(dir, "none"))
	refuse(t, exitUse, `--categorical: no column "sort"`, "audit", file, "--bag", "where", "--categorical", "sort")
	refuse(t, exitUse, "neither a header", "audit", file)
}

// Shards read labels as the run that their plan is made of does: integers as numbers, and classes in an order that is given.
func TestLabelsOfShards(t *testing.T) {
	noArray(t)
	for name, c := range map[string]struct {
		labels [3]string
		flags  []string
		want   string
	}{
		"counts": {[3]string{"0", "1", "7"}, []string{"--numbers"}, "R²"},
		"grades": {[3]string{"low", "mid", "high"}, []string{"--order", "low,mid,high"}, "the classes are low, mid, high"},
	} {
		dir := t.TempDir()
		text := "bag,label,p\n"
		for bag := range 24 {
			text += fmt.Sprintf("b%d,%s,%d.%d\n", bag, c.labels[bag%3], bag%3, bag)
		}
		file, plan := write(t, name+".csv", text), filepath.Join(dir, "plan.json")
		flags := append([]string{"--learner", "statistics-svm", "--folds", "3", "--repeats", "1"}, c.flags...)
		succeed(t, append([]string{"run", file, "--out", filepath.Join(dir, "run")}, flags...)...)
		succeed(t, append([]string{"plan", "run", file, "--shards", "1", "--out", plan}, flags...)...)
		succeed(t, "run", "--plan", plan, "--out", filepath.Join(dir, "shards"), "--shard", "0/1")
		succeed(t, "merge", filepath.Join(dir, "shards"), "--out", filepath.Join(dir, "merged"))
		run, _ := succeed(t, "table", filepath.Join(dir, "run"))
		shards, _ := succeed(t, "table", filepath.Join(dir, "merged"))
		if run != shards || !strings.Contains(run, c.want) {
			t.Errorf("%s: a run\n%s\nshards\n%s", name, run, shards)
		}
	}
}
