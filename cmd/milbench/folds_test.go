package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
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
	for _, want := range []string{"| own | my model ", "| own | statistics-svm ", "honest, 3 folds, declared |", "declared: another program made these scores", "own: "} {
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

// TestFoldsScoreKinds hands out the folds of classes, numbers and survival, and takes their scores in the columns that predict writes.
func TestFoldsScoreKinds(t *testing.T) {
	for name, c := range map[string]struct {
		columns string
		target  func(bag int) string
		score   func(bag int) string
		first   string // of the columns of the target
		learner string // one of ours beside it, if there is one
		want    []string
	}{
		"classes": {"bag,label,x", func(bag int) string { return []string{"low", "mid", "top"}[bag%3] },
			func(bag int) string { return []string{"0.7,0.2,0.1", "0.1,0.8,0.1", "0,0,1"}[bag%3] },
			"bag,label,class,", "statistics-svm", []string{"macro AUC", "| classes | my model ", "1.000 ± 0.000", "the classes are low, mid, top"}},
		"real": {"bag,label,x", func(bag int) string { return fmt.Sprintf("%.2f", float64(bag)/7) },
			func(bag int) string { return fmt.Sprint(float64(bag) / 7) },
			"bag,label,group,", "statistics-svm", []string{"R²", "| real | my model ", "1.000 ± 0.000"}},
		"survival": {"bag,time,event,x", func(bag int) string { return fmt.Sprintf("%d,%d", bag+3, bag%2) },
			func(bag int) string { return fmt.Sprint(-bag) },
			"bag,time,event,", "", []string{"concordance", "| survival | my model ", "1.000 ± 0.000"}},
	} {
		t.Run(name, func(t *testing.T) {
			bags := c.columns + "\n"
			for bag := range 24 {
				for i := range 2 {
					bags += fmt.Sprintf("b%d,%s,%d\n", bag, c.target(bag), (bag+3*i)%5)
				}
			}
			dir := t.TempDir()
			file, folds, out := write(t, name+".csv", bags), filepath.Join(dir, "folds.csv"), filepath.Join(dir, "results")
			succeed(t, "folds", file, "--folds", "3", "--repeats", "2", "--out", folds)
			text, err := os.ReadFile(folds)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(string(text), c.first) {
				t.Errorf("%.60s", text)
			}
			lines, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			column := map[string]int{}
			for i, name := range lines[0] {
				column[name] = i
			}
			scores := "bag,repeat,fold," + map[string]string{
				"classes": "probability_low,probability_mid,probability_top", "real": "value", "survival": "risk"}[name] + "\n"
			for _, l := range lines[1:] {
				var bag int
				if _, err := fmt.Sscanf(l[0], "b%d", &bag); err != nil {
					t.Fatal(err)
				}
				scores += fmt.Sprintf("%s,%s,%s,%s\n", l[0], l[column["repeat"]], l[column["fold"]], c.score(bag))
			}
			if c.learner != "" {
				succeed(t, "run", file, "--folds", "3", "--repeats", "2", "--learner", c.learner, "--out", out)
				c.want = append(c.want, "| "+c.learner+" ", name+": my model has the largest")
			}
			table, _ := succeed(t, "score", write(t, "scores.csv", scores), "--folds", folds, "--name", "my model", "--out", out)
			for _, want := range append(c.want, "honest, 3 folds, declared |", "declared: another program made these scores") {
				if !strings.Contains(strings.Join(strings.Fields(table), " "), want) {
					t.Errorf("no %q in\n%s", want, table)
				}
			}
			none := filepath.Join(dir, "none")
			refuse(t, exitUse, "s.csv: line 1: no column", "score", write(t, "s.csv", "bag,repeat,fold,logits\n"), "--folds", folds, "--name", "n", "--out", none)
			if _, err := os.Stat(none); err == nil {
				t.Error("a folder was made")
			}
		})
	}
}

// TestFoldsBags writes the instances for the program that trains, and nothing where a file is in the way.
func TestFoldsBags(t *testing.T) {
	dir := t.TempDir()
	folds, bags := filepath.Join(dir, "folds.csv"), filepath.Join(dir, "bags.csv")
	succeed(t, "folds", "musk1", "--folds", "3", "--out", folds, "--bags", bags)
	text, err := os.ReadFile(bags)
	if err != nil || !strings.HasPrefix(string(text), "bag,label,f1,f2,") || strings.Count(string(text), "\n") != 477 {
		t.Errorf("%.60s, %v", text, err)
	}
	marked := write(t, "marked.csv", "bag,label,instance_label,x\na,0,0,1\nb,1,1,2\nc,0,0,3\nd,1,1,4\n")
	without := filepath.Join(dir, "without.csv")
	succeed(t, "folds", marked, "--folds", "2", "--out", filepath.Join(dir, "marked-folds.csv"), "--bags", without)
	if text, err := os.ReadFile(without); err != nil || !strings.HasPrefix(string(text), "bag,label,x\na,0,1\n") {
		t.Errorf("instance labels are handed out: %s, %v", text, err)
	}
	refuse(t, exitUse, "--bags: "+bags+" is there already", "folds", "musk1", "--folds", "3", "--out", filepath.Join(dir, "others.csv"), "--bags", bags)
	other := filepath.Join(dir, "other.csv")
	refuse(t, exitUse, "--out: "+folds+" is there already", "folds", "musk1", "--folds", "3", "--out", folds, "--bags", other)
	if _, err := os.Stat(other); err == nil {
		t.Error("the bags were written without folds")
	}
}

// TestPrinted runs the commands of pages in an empty folder and compares what they print. Predictions that a script wrote stand in
// for the script, which needs PyTorch; .ci/full runs it. Other processors and XLA round differently, so the backend is Go.
func TestPrinted(t *testing.T) {
	for name, least := range map[string]int{"docs/concepts.md": 3, "docs/judge.md": 9, "docs/labels.md": 12, "docs/start.md": 3} {
		t.Run(name, func(t *testing.T) { requirePrinted(t, name, least) })
	}
}

// mentioned is a command in a sentence, with the status that it ends with where the sentence says one.
var mentioned = regexp.MustCompile("`(milbench [^`]+)`(?:[^.`]* status ([0-9]))?")

// requirePrinted runs the commands of a page, at least so many, and compares what they print with the page. A block of output belongs
// to the block of commands before it, or to the last command of the sentences between, which may fail.
func requirePrinted(t *testing.T, name string, least int) {
	page, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	predictions, err := os.ReadFile("../../examples/judge/testdata/predictions.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOMLX_BACKEND", "go")
	t.Chdir(t.TempDir())
	commands, printed := 0, ""
	var said [][]string // the commands of the sentences before the block
	for k, block := range strings.Split(string(page), "\n```") {
		if k%2 == 0 {
			said = mentioned.FindAllStringSubmatch(block, -1)
			continue
		}
		kind, text, _ := strings.Cut(block, "\n")
		if kind == "sh" {
			commands++
			if out, err := exec.CommandContext(t.Context(), "bash", "-c", text).CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v\n%s\n%s", name, err, text, out)
			}
			continue
		}
		switch {
		case kind == "console":
			printed = ""
		case kind == "text" && len(said) > 0:
			last := said[len(said)-1]
			o := milbenchOf(t.Context(), strings.Fields(last[1])[1:]...)
			if last[2] != "" && last[2] != strconv.Itoa(o.code) {
				t.Errorf("%s: %s ends with status %d", name, last[0], o.code)
			}
			printed = o.out + o.err
		}
		for line := range strings.Lines(text + "\n") {
			words := strings.Fields(line)
			switch {
			case len(words) == 0:
			case kind == "console" && words[0] == "milbench":
				commands++
				out, _ := succeed(t, words[1:]...)
				printed += out
			case kind == "console" && words[0] == "python":
				commands++
				if err := os.WriteFile("predictions.csv", predictions, 0o666); err != nil {
					t.Fatal(err)
				}
			case kind == "text" && runtime.GOARCH == "amd64" && !strings.Contains(printed, line):
				t.Errorf("%s says\n%sand the command before prints\n%s", name, line, printed)
			case kind == "" && words[0] == "milbench":
				commands++
				requireParses(t, strings.TrimSpace(line))
			}
		}
	}
	if commands < least {
		t.Errorf("%d commands found, want at least %d", commands, least)
	}
}
