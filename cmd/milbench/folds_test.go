package main

import (
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
	has(t, told, "2 repeats of 3 folds in "+folds)
	refuse(t, exitUse, "is there already", "folds", file, "--folds", "3", "--out", folds)
	scores := "bag,repeat,fold,score\n"
	for k, l := range csvLines(t, contents(t, folds))[1:] {
		scores += fmt.Sprintf("%s,%s,%s,%d\n", l[0], l[4], l[5], k%7)
	}
	own := write(t, "scores.csv", scores)
	succeed(t, "run", file, "--folds", "3", "--repeats", "2", "--learner", "statistics-svm", "--out", out)
	table, notes := succeed(t, "score", own, "--folds", folds, "--name", "my model", "--out", out)
	has(t, table, "| own | my model ", "| own | statistics-svm ", "honest, 3 folds, declared |", "declared: another program made these scores", "own: ")
	has(t, notes, "6 results of my model added")
	cut := write(t, "cut.csv", scores[:strings.LastIndex(strings.TrimSpace(scores), "\n")+1])
	none := filepath.Join(dir, "none")
	refuse(t, exitUse, "has no score in repeat 1", "score", cut, "--folds", folds, "--name", "cut", "--out", none)
	refuse(t, exitUse, "s.csv: line 1: no column", "score", write(t, "s.csv", "bag,repeat,fold,logits\n"), "--folds", folds, "--name", "n", "--out", none)
	absent(t, none)
	refuse(t, exitUse, "--folds and --name are needed", "score", own, "--out", out)
	refuse(t, exitUse, `--format "cla": no such format`, "folds", file, "--format", "cla", "--out", none)
}

// TestFoldsCLAM: split files as CLAM reads them, which our reader reads, too.
func TestFoldsCLAM(t *testing.T) {
	dir := newFolder(t)
	file := write(t, "own.csv", toy(false))
	succeed(t, "folds", file, "--folds", "3", "--repeats", "2", "--format", "clam", "--out", dir)
	for k := range 6 {
		split := filepath.Join(dir, fmt.Sprintf("splits_%d.csv", k))
		rows := csvLines(t, contents(t, split))
		if strings.Join(rows[0], ",") != ",train,val,test" {
			t.Fatalf("%q", rows)
		}
		seen := map[string]bool{}
		for _, l := range rows[1:] {
			for _, id := range l[1:] {
				if seen[id] && id != "" {
					t.Errorf("split %d has %s twice", k, id)
				}
				seen[id] = true
			}
		}
		succeed(t, "audit", file, "--split", split)
	}
	contents(t, dir, "folds.csv")
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
	absent(t, other)
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
	page := contents(t, "../../"+name)
	predictions := contents(t, "../../examples/judge/testdata/predictions.csv")
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
				put(t, "predictions.csv", predictions)
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

// TestFoldsFile: published folds make the same fits as a table of them, other folds make others, and scores of a model from elsewhere
// stand beside them.
func TestFoldsFile(t *testing.T) {
	dir := t.TempDir()
	file, out := write(t, "own.csv", toy(false)), filepath.Join(dir, "results")
	table := "bag,repeat,fold\n"
	for repeat := range 2 {
		var texts [3]string
		for bag := range 24 {
			fold := (bag/2 + repeat) % 3
			texts[fold] += fmt.Sprintf("%d\n", bag+1)
			table += fmt.Sprintf("b%d,%d,%d\n", bag, repeat, fold)
		}
		for fold, text := range texts {
			put(t, filepath.Join(dir, fmt.Sprintf("Own.csv_rep%d_fold%d.txt", repeat+1, fold+1)), text)
		}
	}
	published, given := filepath.Join(dir, "Own.csv_rep1_fold1.txt"), write(t, "given.csv", table)
	run := []string{"run", file, "--learner", "statistics-svm", "--out", out}
	said, notes := succeed(t, append(run, "--folds-file", published)...)
	has(t, said, "honest, 3 folds given as ")
	has(t, notes, "6 of 6 fits done", "they count the bags of own in order")
	_, notes = succeed(t, append(run, "--folds-file", given)...)
	has(t, notes, "6 were there already")
	said, notes = succeed(t, append(run, "--folds", "3", "--repeats", "2")...)
	has(t, said, "honest, 3 folds given as ", "honest, 3 folds  ")
	has(t, notes, "0 were there already")

	folds, scores := filepath.Join(dir, "folds.csv"), filepath.Join(dir, "scores.csv")
	told, _ := succeed(t, "folds", file, "--folds-file", given, "--out", folds)
	has(t, told, "24 bags, 2 repeats of 3 folds")
	must(t, predictFolds(folds, scores))
	said, _ = succeed(t, "score", scores, "--folds", folds, "--name", "elsewhere", "--out", out)
	has(t, said, "| own | elsewhere ")
	if at := strings.Index(said, " given as "); strings.Count(said, said[at:at+18]) != 2 {
		t.Errorf("not beside the learner of these folds:\n%s", said)
	}

	refuse(t, exitUse, "--folds-file: its folds are of one set", append(run, "musk1", "--folds-file", given)...)
	refuse(t, exitUse, "--folds: the file of --folds-file has the folds", append(run, "--folds", "3", "--folds-file", given)...)
	refuse(t, exitUse, "--repeats 3: the given folds are of 2 repeats", append(run, "--repeats", "3", "--folds-file", given)...)
	refuse(t, exitUse, "--folds-file: the published protocol makes its own fold", append(run, "--protocol", "published", "--folds-file", given)...)
	refuse(t, exitUse, "--folds-file: "+given+": bag b0 is not among the 92 bags of musk1", "run", "musk1", "--folds-file", given, "--out", out)
	refuse(t, exitUse, "--folds-file: the set has an official split", "run", write(t, "split.csv", splitToy()), "--learner", "statistics-svm", "--folds-file", given, "--out", out)
}

// TestRunShots: a row per number of training bags, in results beside those of all bags, and a figure.
func TestRunShots(t *testing.T) {
	dir := t.TempDir()
	file, out := write(t, "own.csv", toy(false)), filepath.Join(dir, "results")
	run := []string{"run", file, "--learner", "linear-probe,nearest-mean", "--folds", "3", "--repeats", "2", "--out", out}
	table, notes := succeed(t, append(run, "--shots", "1,4")...)
	has(t, table, "honest, 3 folds, shots 1 |", "honest, 3 folds, shots 4 |", "own, shots 4: ")
	has(t, notes, "24 of 24 fits done")
	refuse(t, exitUse, "--shots 9: the training part has only 8", append(run, "--shots", "9")...)
	refuse(t, exitUse, "give numbers of bags from 1 on", append(run, "--shots", "2,0")...)
	refuse(t, exitUse, "2 occurs twice", append(run, "--shots", "2,2")...)
	_, notes = succeed(t, append(run, "--shots", "4,8")...)
	has(t, notes, "12 of 24 fits done", "12 were there already")
	succeed(t, run...)
	figure := filepath.Join(dir, "shots.svg")
	succeed(t, "plot", out, "--figure", "shots", "--set", "own", "--out", figure)
	has(t, string(contents(t, figure)), "training bags of each class", "nearest-mean")
	refuse(t, exitUse, `no set "other"`, "plot", out, "--figure", "shots", "--set", "other", "--out", figure)
}
