package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/internal/disk"
	"synpool/internal/reexec"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/interop"
)

// exception says what TestDocuments does with commands that it cannot run as they stand.
type exception struct {
	// pattern is a regular expression of such commands.
	pattern string
	// instead runs in their place; $1 is what the first parentheses of the pattern matched. Further exceptions may match it.
	instead string
	// by covers commands that are not run: a test function, a script, or "file: text of it".
	by string
}

// short makes a comparison of learners take a second.
const short = " --folds 2 --repeats 1"

// exceptions are looked through in order. A command of a document must run, or match one of them; each must match a command.
var exceptions = []exception{
	// A checkout is the place of these. The binary of this test is of the same source.
	{pattern: `^((?:\w+=\S+ )*)go run \./cmd/milbench\b`, instead: "${1}milbench"},
	{pattern: `^go install \./cmd/milbench$`, instead: `go -C "$$CHECKOUT" list ./cmd/milbench`}, // TestDocuments builds it
	{pattern: `^docs/site/build$`, by: ".ci/full: docs/site/build"},
	{pattern: `^go -C tools run \./modulepath |^go run \./course/explorer/build$|^git diff --stat$|^go build \./\.\.\. && go vet |^go test \./notebooks -run 'Form`, by: `tools/modulepath/main_test.go: "go", "build"`},
	{pattern: `^goreleaser `, by: ".github/workflows/ci.yml: release --snapshot"},
	{pattern: `^git (tag|push) `, by: ".github/workflows/release.yml: tags:"},
	{pattern: `^go build \./\.\.\.$`, by: ".ci/full: CGO_ENABLED=0 go build"},
	{pattern: `^(GOMLX_BACKEND=go |SYNPOOL_LARGE=1 )?go test \./\.\.\.$`, by: ".ci/run: tests ./..."},
	{pattern: `^CGO_ENABLED=0 go test \./\.\.\.$`, by: ".ci/full: CGO_ENABLED=0 tests"},
	{pattern: `^\.ci/run$`, by: ".github/workflows/ci.yml: run: .ci/run"},
	{pattern: `^\.ci/full$`, by: ".github/workflows/ci.yml: run: .ci/full"},
	{pattern: `^\.ci/wine$`, by: ".ci/wine: .ci/systems"},
	{pattern: `^go test -v -run Execute \./notebooks$`, by: ".ci/full: -run Execute ./notebooks"},
	{pattern: `^\(cd notebooks/browser && go test `, by: ".ci/full: cd notebooks/browser && tests"},
	{pattern: `^\(cd deploy && go test `, by: ".ci/full: cd deploy && tests"},
	{pattern: `^docker/test\.sh$`, by: ".ci/full: docker/test.sh"},
	{pattern: `^deploy/slurm/test\.sh$`, by: ".ci/full: deploy/slurm/test.sh"},
	{pattern: `^deploy/submitit/test\.sh$`, by: ".ci/full: deploy/submitit/test.sh"},
	{pattern: `go test \./backend -run ProductsOfChanged$`, by: "TestProductsOfChanged"},
	{pattern: `^notebooks/lab$`, by: ".ci/run: notebooks/lab --install"},

	// A module of the reader's own; its packages come from the checkout beside it. Without a network, modules that tests alone of other
	// modules need may be missing (-e); the build tells whether what counts is there.
	{pattern: `^go mod tidy$`, instead: "go mod tidy -e && go build ./..."},

	// Containers and clusters.
	{pattern: `^docker build `, by: "docker/test.sh: docker build"},
	{pattern: `^docker run `, by: "docker/test.sh: docker run"},
	{pattern: `sbatch `, by: "deploy/slurm/test.sh: sbatch"},
	{pattern: `^(apply\(\)|ended\(\)|apply |kubectl )`, by: "TestByHand"},
	{pattern: `^(python3 -m venv|venv/bin/pip|venv/bin/python) `, by: "deploy/submitit/test.sh: --require-hashes"},

	// Downloads.
	{pattern: `^milbench backend install$`, by: "TestInstall"},
	{pattern: `^python3 -m pip install "jax-cuda|^packages=|^export (GOMLX_BACKEND=xla:|GOPJRT_)`, by: "TestInstallSaysWhatIsThere"},
	{pattern: `^milbench data fetch (elephant fox tiger|all)$`, by: "TestFetch"},
	{pattern: `^(.*) musk1 musk2 elephant fox tiger( ucsb( web\d)+)?\b`, instead: "$1 musk1"},
	{pattern: `^(.*) elephant fox tiger\b`, instead: "$1 musk1"},
	{pattern: `^(.*) elephant (?:fox|musk2)\b`, instead: "$1 musk1"},
	{pattern: `^(.*) elephant\b`, instead: "$1 musk1"},

	// Files of others.
	{pattern: `^(.*) --folds-file DATASETS/Musk1\.csv_rep1_fold1\.txt\b`, instead: "$1 --folds-file folds.csv"},

	{pattern: `^python (train|run)\.py `, by: ".ci/full: examples/pytorch/walk.sh"},
	{pattern: `^milbench train bags\.csv --from weights\.safetensors `, instead: "milbench train bags.csv --epochs=1 --pooling=gated --out begun && milbench export begun weights.safetensors && $0"},
	{pattern: `^milbench export model weights\.safetensors$`, instead: "milbench train bags.csv --epochs=1 --pooling=gated --out network && milbench export network weights.safetensors"},
	// PyTorch: what the script has written once stands in for it.
	{pattern: `^python attention\.py bags\.csv folds\.csv (predictions\.csv)$`, instead: `cp "$$CHECKOUT/examples/judge/testdata/predictions.csv" $1`},

	// What a help text names after it was made by others.
	{pattern: `^milbench train bags\.csv --learner auto --results results\b`, instead: "milbench run bags.csv --learner auto" + short + " --out results && $0"},
	{pattern: `^milbench predict model musk1\b`, instead: "milbench train musk1 --learner statistics-svm --out musk1-model && milbench predict musk1-model musk1"},
	{pattern: `^milbench evaluate model slides\b`, instead: "milbench train slides --labels slides.csv --learner statistics-svm --out slides-model && milbench evaluate slides-model slides"},
	{pattern: `^milbench run bags\.csv --instance-label-column last\b`, instead: "sed 's/$$/,0/; 1s/,0$$/,seen/' bags.csv >cells.csv && milbench run cells.csv --instance-label-column last --epochs 2" + short},
	{pattern: `\bpaper/results\b`, instead: "$$CHECKOUT/paper/results"},
	{pattern: `^milbench study report (\$CHECKOUT/paper/results)\b`, instead: "mkdir -p few && cp $1/iterations.json.gz few && milbench study report few"}, // the whole report has a test there
	{pattern: `^milbench plot results/iterations --figure sweep `, instead: "milbench plot $$CHECKOUT/paper/results/iterations.json.gz --figure sweep "},
	{pattern: `^milbench study archive results/ablation `, by: "TestStudyStopped"},
	{pattern: `^milbench study report archives$`, by: "TestStudyStopped"},

	// Minutes of training.
	{pattern: `^go run \./milbench/learners/bench `, by: "milbench/learners/bench/main_test.go: TestMeasure"},
	{pattern: `^go run \./milbench/calibrate/bench `, by: "milbench/calibrate/bench/main_test.go: TestMeasure"},
	{pattern: `^milbench demo( --out \S+)?$`, by: "TestDemo"},
	{pattern: `^milbench study \w+ (--quick )?--out results( --shard 3/12)?$`, by: "TestStudyStopped"},
	{pattern: `\bmilbench study iterations --quick --out results --shard`, instead: "milbench run musk1 --pooling mean --width 4 --epochs 2 --folds 2 --repeats 2 --out results/iterations-quick --shard"},
	{pattern: `^milbench run musk1 --learner instance\b`, instead: "milbench run bags.csv --learner instance"},
	{pattern: `^milbench run (bags\.csv|features|musk1|times\.csv)( (?:--pooling|--learner instance|--labels) .*)?( --out (?:results|times)(?: --shard 3/12)?)$`, instead: "milbench run $1$2$3 --epochs 2" + short},
	{pattern: `^milbench train \S+ .*--pooling .*`, instead: "$0 --epochs 2"},
}

// files are what documents take for granted in the folder of a reader. A command that names one finds it, unless it writes it.
var files = map[string]func(path string) error{
	"bags.csv":           func(path string) error { return writeTable(path, 1, 60, "normal", "tumour") },
	"new.csv":            func(path string) error { return writeTable(path, 2, 20, "normal", "tumour") },
	"labelled.csv":       func(path string) error { return writeTable(path, 3, 40, "normal", "tumour") },
	"grades.csv":         func(path string) error { return writeTable(path, 4, 60, "low", "middle", "high") },
	"slides.csv":         func(path string) error { return os.WriteFile(path, []byte(slideTable()), 0o666) },
	"features":           func(path string) error { return writeSlides(path, 0, slideCount) },
	"slides":             func(path string) error { return writeSlides(path, 0, slideCount) },
	"new-features":       func(path string) error { return writeSlides(path, slideCount, slideCount+4) },
	"tiles.csv":          func(path string) error { return writeTiles(path, 8, 20) },
	"labelled-tiles.csv": func(path string) error { return writeTiles(path, 0, 8) },
	"folder": func(path string) error {
		return errors.Join(writeSlides(path, 0, slideCount), os.WriteFile(filepath.Join(path, "labels.csv"), []byte(slideTable()), 0o666))
	},
}

// visitor holds what the commands of a document need beforehand.
type visitor struct {
	// before runs before the first command.
	before string
	// apart: the examples of a help text are independent of each other, so that each starts in an empty folder, and made says
	// how to make what earlier commands of a reader have left.
	apart bool
	made  map[string]string
}

var visitors = map[string]visitor{
	"README.md": {before: `go mod init example.com/own && printf 'package own\n\nimport _ "synpool/synlayer"\n' >own.go`},
	"docs/cli.md": {apart: true, made: map[string]string{
		"model.onnx":    "milbench train bags.csv --learner statistics-svm --out plain && milbench export plain model.onnx",
		"results":       "milbench run bags.csv --learner statistics-svm --pooling mean,gated --epochs 2" + short + " --out results",
		"scored":        "milbench folds bags.csv --folds 2 --repeats 1 --out scored.csv && predict scored.csv predictions.csv && milbench score predictions.csv --folds scored.csv --name own --out scored",
		"model":         "milbench train bags.csv --learner statistics-svm --calibrate platt --out model",
		"folds.csv":     "milbench folds bags.csv --folds 2 --repeats 1 --out folds.csv",
		"node1/results": "milbench run bags.csv --pooling mean,gated --epochs 2 --shard 0/2" + short + " --out node1/results",
		"node2/results": "milbench run bags.csv --pooling mean,gated --epochs 2 --shard 1/2" + short + " --out node2/results",
		"scores.csv":    "milbench train features --labels slides.csv --learner miles --out slides-model && milbench predict slides-model features --instances >scores.csv",
	}},
}

// slideCount is the number of labelled slides, two of each patient.
const slideCount = 24

func slideLabel(k int) string { return []string{"normal", "tumour"}[k/2%2] }

func slideTable() string {
	var b strings.Builder
	b.WriteString("slide_id,case_id,label\n")
	for k := range slideCount {
		fmt.Fprintf(&b, "slide%02d,case%02d,%s\n", k, k/2, slideLabel(k))
	}
	return b.String()
}

// writeSlides writes the slides from one number to another, each a file as h5py writes it. A tile of a slide with a tumour has larger
// features.
func writeSlides(dir string, from, to int) error {
	const features = 12 * 4
	template, err := os.ReadFile("testdata/slide.h5")
	if err != nil {
		return err
	}
	var numbers []byte
	for k := range features {
		if numbers, err = binary.Append(numbers, binary.LittleEndian, float32(k)); err != nil {
			return err
		}
	}
	at := bytes.Index(template, numbers)
	if at < 0 {
		return errors.New("testdata/slide.h5 has not the features of slide.py")
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	for k := from; k < to; k++ {
		random := rand.New(rand.NewPCG(uint64(k), 0))
		numbers = numbers[:0]
		for i := range features {
			x := float32(random.NormFloat64())
			if i < 4 && slideLabel(k) == "tumour" {
				x += 3
			}
			if numbers, err = binary.Append(numbers, binary.LittleEndian, x); err != nil {
				return err
			}
		}
		copy(template[at:], numbers)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("slide%02d.h5", k)), template, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// writeTiles writes a table of the slides from one number to another: their tiles, with labels and places.
func writeTiles(path string, from, to int) error {
	c := generate.DefaultSlides()
	c.LeastTiles, c.MostTiles, c.Features, c.Shift = 100, 200, 8, 3
	set, err := generate.DrawSlides(c)
	if err != nil {
		return err
	}
	set.Bags, set.InstanceLabels = set.Bags[from:to], set.InstanceLabels[from:to]
	return disk.Write(path, func(w io.Writer) error { return dataset.WriteCSV(w, set) })
}

// writeTable writes bags of three instances with labels of words, as README.md shows them.
func writeTable(path string, seed uint64, bags int, labels ...string) error {
	random := rand.New(rand.NewPCG(seed, 0))
	text := bagTable("label,area,roundness", bags, func(int) int { return 3 }, func(bag, i int) string {
		label, shift := bag%len(labels), 0.0
		if i == 0 {
			shift = float64(label)
		}
		return fmt.Sprintf("%s,%.1f,%.2f", labels[label], 100+15*(random.NormFloat64()+2*shift), 0.7+0.1*random.NormFloat64())
	})
	return os.WriteFile(path, []byte(strings.ReplaceAll(text, "\nb", fmt.Sprintf("\nslide%d-", seed))), 0o666)
}

// predictFolds stands in for the program of a reader: it reads the file of folds and writes scores of its test bags.
func predictFolds(folds, out string) error {
	parts, err := readWith(folds, interop.Read)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("bag,repeat,fold,probability_" + strings.Join(parts.Classes, ",probability_"))
	random := rand.New(rand.NewPCG(1, 0))
	for repeat, tested := range parts.Tested {
		for bag, fold := range tested {
			if fold < 0 {
				continue
			}
			fmt.Fprintf(&b, "\n%s,%d,%d", parts.Bags[bag].ID, repeat, fold)
			left := 1.0
			for k := range parts.Classes {
				p := left
				if k < len(parts.Classes)-1 {
					p *= 0.2 + 0.6*random.Float64()
				}
				left -= p
				fmt.Fprintf(&b, ",%.6f", p)
			}
		}
	}
	return os.WriteFile(out, []byte(b.String()+"\n"), 0o666)
}

// A command is one of a document: what a reader types, over more than one line perhaps.
type command struct {
	line int
	text string
}

// A document is a Markdown file with the commands of its fenced blocks, and those that its sentences mention in backticks.
type document struct {
	path                string
	commands, mentioned []command
}

// inShell are the languages of fenced blocks that are commands.
var inShell = []string{"", "sh", "bash", "shell", "console"}

var (
	fence       = regexp.MustCompile("^([ \t]*)(```+|~~~+)[ \t]*([^ \t`]*)")
	inBackticks = regexp.MustCompile("`([^`]+)`")
)

// documents finds the commands of every Markdown file of the checkout, except for test data and what lies in hidden folders.
func documents(t *testing.T, checkout string) (all []document) {
	t.Helper()
	err := filepath.WalkDir(checkout, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != checkout && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(checkout, path)
		if err != nil {
			return err
		}
		d := parseDocument(t, filepath.ToSlash(name), string(text))
		all = append(all, d)
		return nil
	})
	must(t, err)
	return all
}

// parseDocument finds the commands of a Markdown text.
func parseDocument(t *testing.T, path, text string) document {
	t.Helper()
	d := document{path: path}
	var prose strings.Builder // as many lines as the text
	var open []string         // the fence of the block, nil outside
	var lines []string        // of the block
	start := 0
	for k, line := range strings.Split(text, "\n") {
		mark := fence.FindStringSubmatch(line)
		switch {
		case open == nil && mark == nil:
			prose.WriteString(line)
		case open == nil:
			open, lines, start = mark, nil, k+2
		case mark != nil && mark[3] == "" && strings.HasPrefix(mark[2], open[2]):
			if slices.Contains(inShell, open[3]) {
				d.commands = append(d.commands, blockCommands(t, path, start, lines)...)
			}
			open = nil
		default:
			lines = append(lines, strings.TrimPrefix(line, open[1]))
		}
		prose.WriteByte('\n')
	}
	if open != nil {
		t.Errorf("%s:%d: the block does not end", path, start-1)
	}
	line := 1
	for paragraph := range strings.SplitAfterSeq(prose.String(), "\n\n") { // code in backticks ends with its paragraph
		for _, m := range inBackticks.FindAllStringSubmatchIndex(paragraph, -1) {
			d.mentioned = append(d.mentioned, command{line: line + strings.Count(paragraph[:m[0]], "\n"), text: strings.Join(strings.Fields(paragraph[m[2]:m[3]]), " ")})
		}
		line += strings.Count(paragraph, "\n")
	}
	return d
}

// blockCommands joins the lines of a block to commands as the shell does. Where lines begin with a prompt, the others are output.
func blockCommands(t *testing.T, path string, start int, lines []string) (list []command) {
	t.Helper()
	prompts := slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "$ ") })
	text, first := "", 0
	for k, line := range lines {
		if prompts && text == "" {
			var typed bool
			if line, typed = strings.CutPrefix(line, "$ "); !typed {
				continue
			}
		}
		if text == "" {
			if trimmed := strings.TrimSpace(line); trimmed == "" || strings.HasPrefix(trimmed, "#") {
				continue
			}
			first = k
		}
		text += line + "\n"
		if strings.HasSuffix(line, `\`) {
			continue
		}
		// A shell that only reads says whether more must follow.
		if said, err := exec.CommandContext(t.Context(), "bash", "-n", "-c", text).CombinedOutput(); err != nil || len(said) > 0 {
			continue
		}
		list = append(list, command{line: start + first, text: withoutComment(text)})
		text = ""
	}
	if text != "" {
		t.Errorf("%s:%d: no command of a shell; if it is output or a file, give its block a language: ```text\n%s", path, start+first, text)
	}
	return list
}

// withoutComment takes the words after a # from a command of one line.
func withoutComment(text string) string {
	text = strings.TrimSpace(text)
	if before, _, found := strings.Cut(text, " # "); found && !strings.Contains(text, "\n") {
		text = strings.TrimSpace(before)
	}
	return text
}

// plan returns what runs instead of a command, "" if something else covers it, and the exceptions that say so.
func plan(text string) (instead string, used []int) {
	for k, e := range exceptions {
		at := regexp.MustCompile(e.pattern).FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		used = append(used, k)
		if e.by != "" {
			return "", used
		}
		text = text[:at[0]] + string(regexp.MustCompile(e.pattern).ExpandString(nil, e.instead, text, at)) + text[at[1]:]
	}
	return text, used
}

// runnable are the words that a command may begin with that runs: nothing of a document reaches beyond its folder.
var runnable = []string{"milbench", "go", "awk", "export", "for", "cp", "mkdir", "sed", "cat", "head"}

// runs reports whether a command may run.
func runs(text string) bool {
	words := strings.Fields(text)
	for len(words) > 0 && assignment.MatchString(words[0]) {
		words = words[1:]
	}
	return len(words) > 0 && slices.Contains(runnable, words[0])
}

var assignment = regexp.MustCompile(`^\w+=\S*$`)

// outputs are flags whose value a command writes; so does a redirection.
var outputs = []string{"--out", "--bags", "--figure", ">"}

// missing returns the files that a command reads and a document may take for granted.
func (r visitor) missing(text string) (names []string) {
	words := strings.Fields(text)
	for k, word := range words {
		_, given := files[word]
		_, made := r.made[word]
		if (given || made) && (k == 0 || !slices.Contains(outputs, words[k-1])) && !slices.Contains(names, word) {
			names = append(names, word)
		}
	}
	return names
}

// script writes what a shell is to do for a document: each command, with what it prints in a file of its own, in the folder that all share.
func (d document) script(r visitor) string {
	var b strings.Builder
	b.WriteString("set -o pipefail\nTIMEFORMAT='%R s, %U s of a core'\ncd \"$ROOT/own\"\n")
	b.WriteString("present() { [ -e \"$1\" ] || [ ! -e \"$FILES/$1\" ] || cp -r \"$FILES/$1\" \"$1\"; }\n")
	var need func(log string, names []string)
	need = func(log string, names []string) {
		for _, name := range names {
			if made, isMade := r.made[name]; isMade {
				fmt.Fprintf(&b, "if [ ! -e %s ]; then\n", name)
				need(log, slices.DeleteFunc(r.missing(made), func(other string) bool { return other == name }))
				fmt.Fprintf(&b, "{ %s; } </dev/null >>\"$LOG/%s\" 2>&1 || echo \"%s: $?\" >>\"$LOG/failed\"\nfi\n", made, log, log)
			} else {
				fmt.Fprintf(&b, "present %s\n", name)
			}
		}
	}
	run := func(log, text string) {
		names, scores := r.missing(text), scored.FindStringSubmatch(text)
		need(log, slices.DeleteFunc(names, func(name string) bool { return scores != nil && name == scores[1] }))
		if scores != nil { // the program of the reader has trained on the folds
			fmt.Fprintf(&b, "[ %[1]s -nt %[2]s ] || predict %[2]s %[1]s >>\"$LOG/%[3]s\" 2>&1\n", scores[1], scores[2], log)
		}
		fmt.Fprintf(&b, "{ time { %s\n} </dev/null >>\"$LOG/%s\" 2>&1; } 2>\"$LOG/%[2]s.time\"\necho \"$?\" >\"$LOG/%[2]s.status\"\n", text, log)
	}
	if r.before != "" {
		run("before", r.before)
	}
	for k, c := range d.commands {
		text, _ := plan(c.text)
		if !runs(text) {
			continue
		}
		if r.apart {
			fmt.Fprintf(&b, "mkdir \"$ROOT/%d\" && cd \"$ROOT/%[1]d\"\n", k)
		}
		run(strconv.Itoa(k), text)
	}
	return b.String()
}

var scored = regexp.MustCompile(`^milbench score (\S+) .*--folds (\S+)`)

// TestDocuments runs the commands of every Markdown document as a reader would: those of a document one after the other, in a folder that
// was empty, without a network. What cannot run is in the table of exceptions, with what covers it. Commands that sentences mention must have
// the flags and arguments of the program.
func TestDocuments(t *testing.T) {
	checkout, err := filepath.Abs("../..")
	must(t, err)
	programs, given := t.TempDir(), t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", programs, "./cmd/milbench")
	build.Dir = checkout
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	self, err := os.Executable()
	must(t, err)
	predict := fmt.Sprintf("#!/bin/sh\n%s=predict exec '%s' \"$@\"\n", reexec.Variable, self)
	must(t, os.WriteFile(filepath.Join(programs, "predict"), []byte(predict), 0o777))
	for name, write := range files {
		if err := write(filepath.Join(given, name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}

	all := documents(t, checkout)
	used := make([]bool, len(exceptions))
	found := 0
	for _, d := range all {
		found += len(d.commands)
		for _, c := range d.commands {
			_, by := plan(c.text)
			for _, k := range by {
				used[k] = true
			}
		}
	}
	for k, e := range exceptions {
		if !used[k] {
			t.Errorf("no command of a document matches %q; take its row from the table of exceptions", e.pattern)
		}
		if e.by != "" {
			requireCovers(t, checkout, e.by)
		}
	}
	for path := range visitors {
		if !slices.ContainsFunc(all, func(d document) bool { return d.path == path }) {
			t.Errorf("there is no %s; take it from the table of visitors", path)
		}
	}
	if found < 100 {
		t.Errorf("%d commands found", found)
	}

	for _, d := range all {
		t.Run(d.path, func(t *testing.T) {
			t.Parallel()
			for _, c := range d.mentioned {
				if err := errors.Join(mentions(c.text), packagesAndTests(checkout, d.path, c.text)); err != nil {
					t.Errorf("%s:%d: `%s`: %v", d.path, c.line, c.text, err)
				}
			}
			for _, c := range d.commands {
				err := packagesAndTests(checkout, d.path, c.text)
				if text, _ := plan(c.text); text == "" {
					err = errors.Join(err, paths(checkout, c.text))
				}
				if err != nil {
					t.Errorf("%s:%d: %s: %v", d.path, c.line, c.text, err)
				}
			}
			d.run(t, checkout, programs, given)
		})
	}
}

// run runs the commands of a document and wants each to succeed.
func (d document) run(t *testing.T, checkout, programs, given string) {
	r := visitors[d.path]
	root, log := t.TempDir(), t.TempDir()
	must(t, errors.Join(os.Mkdir(filepath.Join(root, "own"), 0o777), os.Symlink(checkout, filepath.Join(root, "synpool"))))
	c := exec.CommandContext(t.Context(), "bash", "-c", d.script(r))
	c.Env = append(os.Environ(), "GOMLX_BACKEND=go", "MILBENCH_DATA="+filepath.Join(root, "no-data"), "HTTP_PROXY=http://127.0.0.1:9", "HTTPS_PROXY=http://127.0.0.1:9",
		"GOBIN="+filepath.Join(root, "bin"), "GOPROXY=off", "GOSUMDB=off", "GOFLAGS=-mod=mod", "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CHECKOUT="+checkout, "ROOT="+root, "LOG="+log, "FILES="+given)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", d.path, err, out)
	}
	failed := func(name string) (string, bool) {
		status, _ := os.ReadFile(filepath.Join(log, name+".status"))
		said, _ := os.ReadFile(filepath.Join(log, name))
		lines := slices.Collect(strings.Lines(string(said)))
		return fmt.Sprintf("status %q\n%s", bytes.TrimSpace(status), strings.Join(lines[max(0, len(lines)-20):], "")), string(status) != "0\n"
	}
	if said, bad := failed("before"); bad && r.before != "" {
		t.Errorf("%s: what comes before the first command, %s: %s", d.path, r.before, said)
	}
	if said, err := os.ReadFile(filepath.Join(log, "failed")); err == nil {
		t.Errorf("%s: what earlier commands leave was not made: %s", d.path, said)
	}
	for k, c := range d.commands {
		text, _ := plan(c.text)
		if text == "" {
			continue
		}
		if !runs(text) {
			t.Errorf("%s:%d: %s: this begins with none of %q, so it is not run.%s", d.path, c.line, c.text, runnable, mend)
			continue
		}
		took, _ := os.ReadFile(filepath.Join(log, strconv.Itoa(k)+".time"))
		t.Logf("%s:%d: %s: %s", d.path, c.line, text, took)
		if said, bad := failed(strconv.Itoa(k)); bad {
			instead := ""
			if text != c.text {
				instead = "\nrun as: " + text
			}
			t.Errorf("%s:%d: %s%s: %s%s", d.path, c.line, c.text, instead, said, mend)
		}
	}
}

const mend = "\nMend the command. If it is output or a file, give its block a language: ```text. If it cannot run in a test, add a row to the table of exceptions."

// requireCovers wants what covers a command to be there: a test function of the checkout, a file, or a text in a file.
func requireCovers(t *testing.T, checkout, by string) {
	t.Helper()
	if path, text, isFile := strings.Cut(by, ": "); isFile {
		if content, err := os.ReadFile(filepath.Join(checkout, path)); err != nil || !strings.Contains(string(content), text) {
			t.Errorf("%s has no %q, which is to cover commands of documents (%v)", path, text, err)
		}
		return
	}
	if names := tests(checkout, "."); !slices.Contains(names, by) {
		t.Errorf("there is no test %s, which is to cover commands of documents", by)
	}
}

// paths wants the files of the checkout to be there that a command names which is not run.
func paths(checkout, text string) error {
	for _, word := range strings.Fields(text) {
		top, _, below := strings.Cut(word, "/")
		if info, err := os.Stat(filepath.Join(checkout, top)); !below || top == "" || top == "." || err != nil || !info.IsDir() || strings.ContainsAny(word, "$\"'*;") {
			continue
		}
		if _, err := os.Stat(filepath.Join(checkout, word)); err != nil {
			return fmt.Errorf("there is no %s", word)
		}
	}
	return nil
}

var testFunction = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz|Example)\w*)\(`)

// tests returns the names of test functions in and below a folder.
func tests(checkout, folder string) (names []string) {
	filepath.WalkDir(filepath.Join(checkout, folder), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
				names = append(names, m[1])
			}
		}
		return nil
	})
	return names
}

// forReader is a word that a reader replaces.
var forReader = regexp.MustCompile(`^[A-Z][A-Z_|]*(\.\.\.)?$`)

// mentions checks a call of milbench in a sentence. It may leave arguments out, or the value of its last flag.
func mentions(text string) error {
	text = strings.TrimPrefix(text, "go run ./cmd/")
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != "milbench" {
		return nil
	}
	root := (&program{out: &sink{w: io.Discard}, err: io.Discard}).command()
	if at := slices.IndexFunc(words, func(w string) bool { return w == ">" || w == "|" || w == "&&" }); at > 0 {
		words = words[:at]
	}
	c, rest, err := root.Find(words[1:])
	if err != nil || c == root && !strings.HasPrefix(words[1], "-") {
		return fmt.Errorf("no such command (%v)", err)
	}
	whole := true // nothing is left open
	arguments := 0
	for k := 0; k < len(rest); k++ {
		name, isFlag := strings.CutPrefix(rest[k], "--")
		if !isFlag {
			arguments++
			whole = whole && !forReader.MatchString(rest[k])
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		f := c.Flag(name)
		switch {
		case f == nil && name != "help":
			return fmt.Errorf("no flag --%s", name)
		case f == nil || f.NoOptDefVal != "":
		case hasValue:
			whole = whole && !forReader.MatchString(value)
		case k+1 == len(rest):
			whole = false
		default:
			k++
			whole = whole && !forReader.MatchString(rest[k]) && rest[k] != "i/n"
		}
	}
	if !whole || arguments == 0 {
		return nil
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// packagesAndTests checks that packages that a go command names are there, and the tests that it selects.
func packagesAndTests(checkout, path, text string) error {
	words := strings.Fields(text)
	for len(words) > 0 && strings.Contains(words[0], "=") {
		words = words[1:] // the environment
	}
	if len(words) < 3 || words[0] != "go" || !slices.Contains([]string{"run", "test", "doc", "vet", "build", "install"}, words[1]) {
		return nil
	}
	folder := "."
	selected := ""
	for k, word := range words[2:] {
		switch {
		case slices.Contains([]string{"-run", "-bench", "-fuzz"}, words[k+1]):
			if selected = strings.Trim(word, "'\""); selected == "^$" {
				selected = ""
			}
		case strings.HasPrefix(word, "./"):
			folder = strings.TrimSuffix(strings.TrimSuffix(word, "..."), "/")
			if forReader.MatchString(filepath.Base(folder)) {
				folder = filepath.Dir(folder)
			}
			if info, err := os.Stat(filepath.Join(checkout, folder)); err != nil || !info.IsDir() {
				return fmt.Errorf("there is no package %s", word)
			}
		case word == ".":
			folder = filepath.Dir(path)
		}
	}
	if selected == "" || words[1] != "test" {
		return nil
	}
	pattern, err := regexp.Compile(selected)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(tests(checkout, folder), pattern.MatchString) {
		return fmt.Errorf("%s has no test %s", folder, selected)
	}
	return nil
}

// TestDocumentCommands: blocks that are commands, as the shell joins their lines, and what is mentioned in sentences.
func TestDocumentCommands(t *testing.T) {
	text := "Run `milbench\nrun`.\n\n```\nmilbench a \\\n\tb # why\n\n# first\nf() {\n\tx\n}\n```\n\n- item\n\n  ```sh\n  milbench c\n  ```\n" +
		"```console\n$ milbench d\nbags: 3\n```\n```text\nmilbench e\n```\n~~~go\nmilbench g\n~~~\n"
	d := parseDocument(t, "x.md", text)
	var got []string
	for _, c := range d.commands {
		got = append(got, fmt.Sprintf("%d %s", c.line, c.text))
	}
	want := []string{"5 milbench a \\\n\tb # why", "9 f() {\n\tx\n}", "17 milbench c", "20 milbench d"}
	if !slices.Equal(got, want) {
		t.Errorf("commands\n%q, want\n%q", got, want)
	}
	if len(d.mentioned) != 1 || d.mentioned[0] != (command{line: 1, text: "milbench run"}) {
		t.Errorf("mentioned: %+v", d.mentioned)
	}
	here := func(text string) error { return packagesAndTests("../..", "x.md", text) }
	for _, c := range []struct {
		check       func(string) error
		text, wrong string
	}{
		{mentions, "milbench run --pooling", ""},
		{mentions, "milbench run FILE --pooling NAME", ""},
		{mentions, "milbench runs", "no such command"},
		{mentions, "milbench run --poolings NAME", "no flag --poolings"},
		{mentions, "milbench show a b", "argument"},
		{func(text string) error { return paths("../..", text) }, "sbatch deploy/slurm/arrays.sh study", "no deploy/slurm/arrays.sh"},
		{here, "go test ./cmd/milbench -run NoSuchTest", "has no test NoSuchTest"},
		{here, "GOMLX_BACKEND=go go run ./cmd/millbench demo", "no package ./cmd/millbench"},
	} {
		if err := c.check(c.text); (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.text, err, c.wrong)
		}
	}
}
