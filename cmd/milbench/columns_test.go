package main

import (
	"strings"
	"testing"
)

// TestColumns: a run takes the columns that flags name or that usual names tell.
func TestColumns(t *testing.T) {
	text := csvLines(t, toy(false))
	text[0] = []string{"where", "grade", "fold", "q", "kind"}
	var b strings.Builder
	for k, fields := range text {
		if k > 0 { // the last column has words, and q lacks values
			fields[4] = []string{"high", "low"}[k%2]
		}
		if k > 0 && k%3 == 0 {
			fields[3] = "NA"
		}
		b.WriteString(strings.Join(fields, ";") + "\n")
	}
	file := write(t, "words.csv", b.String())
	flags := []string{file, "--bag", "where", "--categorical", "kind", "--as-features", "fold", "--missing", "median"}
	prints(t, file+`: label is the column "grade" (--label)`, append([]string{"run", "--learner", "statistics-svm", "--folds", "3", "--repeats", "1", "--out", newFolder(t)}, flags...)...)
	model, _ := trained(t, append(flags, "--learner", "statistics-trees")...)
	scores, notes := succeed(t, "predict", model, file, "--bag", "where")
	if want := "the median of what the model was trained on stands for them"; !strings.Contains(notes, want) || len(strings.Split(scores, "\n")) < 4 {
		t.Errorf("no %q in %s, or too few scores: %s", want, notes, scores)
	}
	refuse(t, exitUse, "in q (", "run", file, "--bag", "where", "--categorical", "kind", "--out", newFolder(t))
	refuse(t, exitUse, "--missing", "run", file, "--missing", "mean", "--out", newFolder(t))
	refuse(t, exitUse, "--missing is for files", "run", "musk1", "--missing", "median", "--out", newFolder(t))
	refuse(t, exitUse, `--categorical: no column "sort"`, "audit", file, "--bag", "where", "--categorical", "sort")
	refuse(t, exitUse, "no column bag among", "audit", file)
}
