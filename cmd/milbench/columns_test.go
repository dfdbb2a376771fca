package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestColumns: a run takes the columns that flags name or that usual names tell.
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
