package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/backend"
	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// results returns the lines of a results folder, wall times aside, in order.
func readResults(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, results.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range bytes.Lines(text) {
		var r map[string]json.RawMessage
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		delete(r, "wall_s")
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	slices.Sort(lines)
	return lines
}

// rows reads a table in JSON.
func rows(t *testing.T, text string) map[string]results.Row {
	t.Helper()
	var list []results.Row
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	byName := make(map[string]results.Row)
	for _, r := range list {
		byName[r.Set+": "+r.Setting] = r
	}
	return byName
}

func TestRun(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	args := with("run", file, "--pooling", "softmax,syn,mean", "--iterations=-1,2", "--folds", "2", "--out", dir)

	out, stderr := succeed(t, append(args, "--repeats", "2", "--json")...)
	table := rows(t, out)
	// A setting that a pooling lacks does not multiply its fits: 4 settings, 2 repeats, 2 folds.
	if got, want := slices.Sorted(maps.Keys(table)), []string{"toy: mean", "toy: softmax", "toy: syn I=-1", "toy: syn I=2"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	for name, r := range table {
		if r.N != 2 || r.Protocol != "honest" || r.Optimistic || r.Leaked || r.SD == nil || r.Folds != 2 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	first := readResults(t, dir)
	if len(first) != 16 || !strings.Contains(stderr, "16 of 16 fits done") || strings.Count("\n"+stderr, "\nbackend ") != 1 || strings.Contains(stderr, "\r") {
		t.Errorf("%d results:\n%s", len(first), stderr)
	}
	for _, key := range []string{`"winners":[`, `"backend":"`, `"version":"`, `"revision":"`, `"seed":1`, `"config":{"batch":4`} {
		if !strings.Contains(first[len(first)-1], key) {
			t.Errorf("no %s in %s", key, first[len(first)-1])
		}
	}

	// Nothing is run twice, and more repeats go on where these ended.
	if _, stderr := succeed(t, append(args, "--repeats", "2")...); !strings.Contains(stderr, "0 of 16 fits done") || !slices.Equal(readResults(t, dir), first) {
		t.Errorf("a second run changed something:\n%s", stderr)
	}
	out, stderr = succeed(t, append(args, "--repeats", "3")...)
	if more := readResults(t, dir); !strings.Contains(stderr, "8 of 24 fits done") || len(more) != 24 || !strings.Contains(out, "| toy | syn I=-1 |") {
		t.Errorf("%d results\n%s%s", len(more), out, stderr)
	}

	// The same inputs give the same results, whatever the number of cores.
	again := filepath.Join(t.TempDir(), "again")
	succeed(t, append(slices.Clone(args[:len(args)-len(small)-1]), append([]string{again, "--repeats", "2", "--cores", "1"}, small...)...)...)
	if !slices.Equal(readResults(t, again), first) {
		t.Error("the same command gave other results")
	}

	for format, want := range map[string]string{"md": "| Set ", "csv": "set,setting,target,figure,mean", "tex": `\begin{tabular}`, "html": "<table", "json": `"mean":`} {
		if out, _ := succeed(t, "table", dir, "--format", format); !strings.Contains(out, want) {
			t.Errorf("--format %s: no %q in\n%s", format, want, out)
		}
	}
}

func TestRunMarks(t *testing.T) {
	file, dir := write(t, "leaky.csv", toy(true)), filepath.Join(t.TempDir(), "out")
	args := func(more ...string) []string {
		return with(append([]string{"run", file, "--pooling", "max", "--folds", "2", "--out", dir}, more...)...)
	}
	for _, args := range [][]string{args(), args("--instance-label-column", "1"), with("train", file, "--out", dir)} {
		refuse(t, exitFinding, "column 4 (answer)", args...)
		refuse(t, exitFinding, "--instance-label-column last", args...)
		refuse(t, exitFinding, "; if it is a label, --instance-label-column last moves it out of the features; if it is a measurement, --keep-leak trains with it", args...)
	}
	refuse(t, exitFinding, "column 4 (answer)", "audit", file)
	if _, err := os.Stat(dir); err == nil {
		t.Fatal("a refused file left a folder of results")
	}

	succeed(t, args("--repeats", "1", "--instance-label-column", "last")...)
	_, stderr := succeed(t, args("--repeats", "1", "--keep-leak")...)
	if !strings.Contains(stderr, "every result is marked leaked") {
		t.Error(stderr)
	}
	out, _ := succeed(t, args("--protocol", "published", "--keep-leak", "--folds", "4")...)
	for _, mark := range []string{"honest, 2 folds, LEAKED", "published, 1 of 4 folds, optimistic, LEAKED", "honest, 2 folds  "} {
		if !strings.Contains(out, mark) {
			t.Errorf("no %q in\n%s", mark, out)
		}
	}
	leaked, optimistic := 0, 0
	for _, line := range readResults(t, dir) {
		leaked += strings.Count(line, `"leaked":true`)
		optimistic += strings.Count(line, `"optimistic":true`)
	}
	if leaked != 3 || optimistic != 1 { // two honest folds and one published
		t.Errorf("%d results are marked leaked and %d optimistic, want 3 and 1", leaked, optimistic)
	}
}

// twice is the toy with bag b8 standing there a second time, as c8 with the label given, in the parts of the split that
// parts names for each; none for "".
func twice(label string, parts map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(toy(false)) {
		id, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ",")
		for _, id := range []string{id, "c8"} {
			text := id + "," + rest
			if id == "c8" {
				if !strings.HasPrefix(line, "b8,") {
					continue
				}
				text = "c8," + label + strings.TrimPrefix(rest, "0")
			}
			if parts != nil && id == "bag" {
				text += ",split"
			} else if parts != nil {
				part, named := parts[id]
				if !named {
					part = "train"
				}
				text += "," + part
			}
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// A bag that stands there twice is never trained on and tested on, whatever its id.
func TestRunDuplicates(t *testing.T) {
	file := write(t, "twice.csv", twice("0", nil))
	for _, protocol := range []string{"honest", "nested", "published"} {
		dir := filepath.Join(t.TempDir(), "out")
		_, stderr := succeed(t, with("run", file, "--protocol", protocol, "--pooling", "mean", "--folds", "3", "--repeats", "4", "--out", dir)...)
		if !strings.Contains(stderr, "note: "+file+": the same instances stand in the bags b8, c8") {
			t.Errorf("no note of the bags in\n%s", stderr)
		}
		for _, line := range readResults(t, dir) {
			if one, other := strings.Contains(line, `"id":"b8"`), strings.Contains(line, `"id":"c8"`); one != other {
				t.Errorf("%s: tested on one of two bags that are the same: %s", protocol, line)
			}
		}
	}
	model := filepath.Join(t.TempDir(), "model")
	if _, stderr := succeed(t, with("train", file, "--pooling", "mean", "--out", model)...); !strings.Contains(stderr, "b8, c8") {
		t.Errorf("no note of the bags in\n%s", stderr)
	}
	if _, stderr := succeed(t, with("run", "musk1", "--pooling", "mean", "--epochs", "1", "--folds", "2", "--repeats", "1", "--out", filepath.Join(t.TempDir(), "out"))...); strings.Contains(stderr, "the same instances") {
		t.Errorf("a note of Musk 1:\n%s", stderr)
	}

	conflict := write(t, "conflict.csv", twice("1", nil))
	out := filepath.Join(t.TempDir(), "out")
	if said, _ := succeed(t, "audit", conflict); !strings.Contains(said, "b8, c8, with different labels") {
		t.Errorf("audit: %s", said)
	}
	for _, command := range []string{"run", "train"} {
		if _, stderr := succeed(t, with(command, conflict, "--pooling", "mean", "--out", filepath.Join(t.TempDir(), "out"))...); !strings.Contains(stderr, "bags of the same instances have different labels: b8, c8; no learner can be right on all of them") {
			t.Errorf("%s: %s", command, stderr)
		}
	}
	torn := write(t, "torn.csv", twice("0", map[string]string{"b8": "test", "b9": "test"}))
	refuse(t, exitUse, "bag c8 is in the training part and bag b8 of the same group (duplicates of b8) in the test part", "run", torn, "--out", out)
	whole := write(t, "whole.csv", twice("0", map[string]string{"b8": "test", "b9": "test", "c8": "test"}))
	succeed(t, with("run", whole, "--pooling", "mean", "--repeats", "1", "--out", out)...)
}

func TestRunNested(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	out, _ := succeed(t, with("run", file, "--protocol", "nested", "--pooling", "lse", "--lr", "0.001,0.01", "--folds", "2", "--repeats", "1", "--out", dir, "--json")...)
	if r := rows(t, out)["toy: lse (chosen inside)"]; r.N != 1 || len(r.Chosen) == 0 || r.Optimistic {
		t.Errorf("%+v in %s", r, out)
	}
}

func TestRunSeveralSets(t *testing.T) {
	one, two := write(t, "one.csv", toy(false)), write(t, "two.csv", strings.ReplaceAll(toy(false), ".", ".1"))
	dir := filepath.Join(t.TempDir(), "out")
	out, _ := succeed(t, with("run", one, two, "--pooling", "mean", "--folds", "2", "--repeats", "1", "--out", dir, "--json")...)
	if got := slices.Sorted(maps.Keys(rows(t, out))); !slices.Equal(got, []string{"one: mean", "two: mean"}) {
		t.Errorf("rows %q", got)
	}
}

func TestRunFailedFit(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	args := with("run", file, "--pooling", "mean", "--lr", "1e30,0.001", "--folds", "2", "--repeats", "1", "--out", dir)
	o := milbenchOf(t.Context(), args...)
	if o.code != exitFinding || strings.Count(o.err, "milbench: toy: repeat 1, fold ") != 2 || strings.Count(o.err, ", seed 1, {") != 2 || !strings.Contains(o.err, "2 of 4 fits done") || !strings.Contains(o.err, "2 failed") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
	if !strings.Contains(o.out, "| toy | mean") || len(readResults(t, dir)) != 2 {
		t.Errorf("the fits that succeeded are not there:\n%s", o.out)
	}
}

// With --curves there is a curve of every fit, and the results are those without.
func TestRunCurves(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	for _, c := range []struct{ protocol, pooling string }{{"honest", "softmax"}, {"nested", "mean"}} {
		run := func(more ...string) (dir, stderr string) {
			dir = filepath.Join(t.TempDir(), "out")
			_, stderr = succeed(t, append([]string{"run", file, "--protocol", c.protocol, "--pooling", c.pooling, "--folds", "2", "--repeats", "2", "--out", dir,
				"--width", "8", "--epochs", "5", "--batch", "4"}, more...)...)
			return dir, columnNotes.ReplaceAllString(stderr, "")
		}
		without, _ := run()
		if _, err := os.Stat(filepath.Join(without, results.CurvesName)); err == nil {
			t.Error("curves without being asked for them")
		}
		dir, stderr := run("--curves")
		if strings.Contains(stderr, "note:") || !slices.Equal(readResults(t, dir), readResults(t, without)) {
			t.Errorf("%s: other results with curves\n%s", c.protocol, stderr)
		}
		requireCurves(t, dir)
		curves, err := results.ReadCurves(dir)
		if err != nil || len(curves) != 4 {
			t.Fatalf("%d curves, %v", len(curves), err)
		}
		for _, curve := range curves {
			loss, winners := curve.Loss, curve.WinnersChanged
			if len(loss) != 5 || loss[0] <= 0 || loss[0] == loss[4] || (len(curve.Validation) == 5) != (c.protocol == "nested") ||
				winners[0] != nil || (winners[4] != nil) != (c.pooling == "softmax") {
				t.Errorf("%s: %+v", c.protocol, curve)
			}
		}
	}

	dir := filepath.Join(t.TempDir(), "out")
	args := with("run", file, "--pooling", "mean", "--folds", "2", "--out", dir)
	succeed(t, append(args, "--repeats", "1")...)
	if _, stderr := succeed(t, append(args, "--repeats", "2", "--curves")...); !strings.Contains(stderr, "note: 2 earlier results have no curves") {
		t.Errorf("no note of the fits without curves:\n%s", stderr)
	}
}

// requireCurves wants one curve of each result.
func requireCurves(t *testing.T, dir string) {
	t.Helper()
	fits := make(map[string]int)
	for _, name := range []string{results.FileName, results.CurvesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var r struct{ Fit string }
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatalf("%s: %v in %s", name, err, line)
			}
			if name == results.FileName {
				fits[r.Fit]++
			} else {
				fits[r.Fit] += 1000
			}
		}
	}
	for fit, n := range fits {
		if n != 1001 {
			t.Errorf("fit %s has %d results and %d curves", fit, n%1000, n/1000)
		}
	}
}

// exhausted is a learner that runs out of memory after some fits, and at once when these are done.
type exhausted struct{ reader }

func (l exhausted) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	some := task
	if some.Fits = some.Fits[:3]; len(task.Fits) < 8 {
		some.Fits = nil
	}
	if err := l.reader.Learn(ctx, some, done); err != nil {
		return err
	}
	return fmt.Errorf("%s: a block of 25 fits failed: %w; less --memory makes smaller ones", task.Name, errors.New("out of memory"))
}

// A learner that fails as a whole leaves the fits that are done; the other studies go on.
func TestRunExhausted(t *testing.T) {
	musk, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	config, err := neural.DefaultConfig("syn")
	if err != nil {
		t.Fatal(err)
	}
	setting, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	studies := func(first learner.Learner) []run.Run {
		one := run.Run{Sets: []*mil.Set{musk}, Protocol: cv.Protocol{Name: "honest", Folds: 4, Repeats: 2},
			Settings: []json.RawMessage{setting}, Seed: 1, Learner: first, Dir: dir}
		two := one
		two.Protocol.Folds, two.Learner = 2, reader{}
		return []run.Run{one, two}
	}
	var stderr bytes.Buffer
	p := &program{out: &sink{w: io.Discard}, err: &stderr}
	err = p.do(t.Context(), studies(exhausted{}))
	if err == nil || exitCode(t.Context(), err) != exitFinding ||
		err.Error() != "musk1: a block of 25 fits failed: out of memory; less --memory makes smaller ones" {
		t.Errorf("%v", err)
	}
	if !strings.Contains(stderr.String(), "7 of 12 fits done") || !strings.Contains(stderr.String(), ", 5 failed;") || len(readResults(t, dir)) != 7 {
		t.Errorf("%d results\n%s", len(readResults(t, dir)), &stderr)
	}
	stderr.Reset()
	if err := p.do(t.Context(), studies(reader{})); err != nil || !strings.Contains(stderr.String(), "5 of 12 fits done") || len(readResults(t, dir)) != 12 {
		t.Errorf("%v, %d results\n%s", err, len(readResults(t, dir)), &stderr)
	}
}

func TestRunLocked(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	f, err := results.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	args := with("run", file, "--pooling", "mean", "--folds", "2", "--repeats", "1", "--out", dir)
	refuse(t, exitTryAgain, "in use by another run", args...)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	succeed(t, args...)
}

// long is a run of 60 fits that take a while.
func long(file, dir string) []string {
	return []string{
		"run", file, "--pooling", "mean,syn", "--iterations", "3", "--folds", "3", "--repeats", "10", "--out", dir,
		"--width", "8", "--embed", "8", "--heads", "2", "--epochs", "10", "--batch", "4",
	}
}

// stopAfter starts a run and sends it a signal once n results are there.
func stopAfter(t *testing.T, dir string, n int, signal os.Signal, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		text, _ := os.ReadFile(filepath.Join(dir, results.FileName))
		if bytes.Count(text, []byte("\n")) >= n {
			break
		}
		if time.Now().After(deadline) {
			t.Error("no results after a minute")
			break
		}
	}
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil {
		t.Fatal("the run ended before it was stopped")
	}
}

func TestStoppedRunsGoOn(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	undisturbed := filepath.Join(t.TempDir(), "undisturbed")
	if out, err := process(t, long(file, undisturbed)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := readResults(t, undisturbed)

	for _, c := range []struct {
		signal syscall.Signal
		code   int
		say    string
	}{
		{syscall.SIGKILL, -1, ""},
		{syscall.SIGTERM, 143, "run the same command again to resume"},
		{syscall.SIGINT, 130, "run the same command again to resume"},
	} {
		t.Run(c.signal.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			var stderr bytes.Buffer
			run := process(t, long(file, dir)...)
			run.Stderr = &stderr
			stopAfter(t, dir, 5, c.signal, run)
			if code := run.ProcessState.ExitCode(); code != c.code || !strings.Contains(stderr.String(), c.say) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, c.code, c.say, &stderr)
			}
			text, err := os.ReadFile(filepath.Join(dir, results.FileName))
			if err != nil {
				t.Fatal(err)
			}
			before := bytes.Count(text, []byte("\n"))
			if before < 5 || before >= len(want) {
				t.Fatalf("stopped after %d of %d results", before, len(want))
			}

			out, err := process(t, long(file, dir)...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			got := readResults(t, dir)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d results, not those of an undisturbed run (%d)", len(got), len(want))
			}
			now, err := os.ReadFile(filepath.Join(dir, results.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if whole := text[:bytes.LastIndexByte(text, '\n')+1]; !bytes.HasPrefix(now, whole) {
				t.Error("results that were there were written again")
			}
		})
	}
}

// TestKeptGraphs: fits are bit-identical whether their graphs are compiled, kept or loaded.
func TestKeptGraphs(t *testing.T) {
	file, root := write(t, "toy.csv", toy(false)), t.TempDir()
	var want []string
	for i, cache := range []string{"off", filepath.Join(root, "cache"), filepath.Join(root, "cache")} {
		dir := filepath.Join(root, fmt.Sprint("run", i))
		c := process(t, "run", file, "--pooling", "syn,attention", "--iterations=-3,3", "--folds", "4", "--repeats", "2", "--width", "16", "--embed", "8", "--heads", "2", "--epochs", "3", "--batch", "2", "--out", dir)
		c.Env = append(c.Env, backend.CacheVariable+"="+cache)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		got := readResults(t, dir)
		if i == 0 {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("run %d, with graphs in %s, differs from one that compiled them", i, cache)
		}
	}
	kept, err := filepath.Glob(filepath.Join(root, "cache", "*"))
	if xla := os.Getenv("GOMLX_BACKEND") != "go" && runtime.GOOS == "linux"; err != nil || xla != (len(kept) > 0) {
		t.Errorf("%d graphs kept (%v)", len(kept), err)
	}
}

// TestKilledRuns kills runs at random moments, from their first instant to their last, and gives the same command again
// until it has ended: the results are those of an undisturbed run except for order and wall time, and the tables are the
// same to the byte.
func TestKilledRuns(t *testing.T) {
	kills, repeats, longest := large.Number(4, 24), large.Number(12, 30), 400*time.Millisecond
	if os.Getenv("GOMLX_BACKEND") != "go" { // starts more slowly, even with what the first run has compiled
		longest = 700 * time.Millisecond
	}
	file := write(t, "toy.csv", toy(false))
	args := func(dir string) []string {
		return []string{
			"run", file, "--pooling", "mean,syn", "--learner", "statistics-trees,distance-svm", "--iterations", "3", "--folds", "4", "--repeats", fmt.Sprint(repeats), "--cores", "2", "--curves", "--out", dir,
			"--width", "8", "--embed", "8", "--heads", "2", "--epochs", "10", "--batch", "4",
		}
	}
	undisturbed := filepath.Join(t.TempDir(), "undisturbed")
	if out, err := process(t, args(undisturbed)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	tables := func(dir string) (text string) {
		for _, format := range results.Formats {
			out, _ := succeed(t, "table", dir, "--format", format)
			text += out
		}
		return text
	}
	want, wantTables := readResults(t, undisturbed), tables(undisturbed)
	if len(want) != 16*repeats {
		t.Fatalf("%d results", len(want))
	}

	random := rand.New(rand.NewPCG(8, 0))
	killed, folders, during := 0, 0, 0 // during: kills that left the folder with some results, and not with all
	for killed < kills {
		dir := filepath.Join(t.TempDir(), "killed")
		folders++
		for ended := false; !ended; {
			run := process(t, args(dir)...)
			var stderr bytes.Buffer
			run.Stderr = &stderr
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			if killed < kills {
				time.Sleep(time.Duration(random.Int64N(int64(longest))))
				if err := run.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
			}
			err := run.Wait()
			if ended = err == nil; ended {
				break
			}
			if run.ProcessState.ExitCode() != -1 {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			killed++
			if left, err := results.Read(dir); len(left) > 0 && len(left) < len(want) {
				during++
			} else if err != nil && !errors.Is(err, results.ErrNoResults) {
				t.Error(err)
			}
		}
		if got := readResults(t, dir); !slices.Equal(got, want) {
			t.Errorf("%d results, not those of an undisturbed run (%d)", len(got), len(want))
		}
		if got := tables(dir); got != wantTables {
			t.Errorf("the tables are\n%s, want\n%s", got, wantTables)
		}
		requireCurves(t, dir)
		if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
	t.Logf("%d kills, %d of them between the first result and the last, in %d folders", killed, during, folders)
	if during < kills/4 {
		t.Errorf("only %d of %d kills hit a run between its first result and its last", during, killed)
	}
}

// A bag that a learner does not take leaves that learner out, of the comparison and of a portfolio, in one line each.
func TestRunLeavesOut(t *testing.T) {
	var file strings.Builder
	file.WriteString("bag,label,a\n")
	for b := range 12 {
		rows := 2
		if b == 3 {
			rows = 5001
		}
		for i := range rows {
			fmt.Fprintf(&file, "b%d,%d,%d\n", b, b%2, i+b)
		}
	}
	path := write(t, "wide.csv", file.String())
	for _, name := range []string{"auto", "mind,statistics-svm"} {
		_, said := succeed(t, "run", path, "--learner", name, "--folds", "3", "--repeats", "1", "--dry-run", "--out", t.TempDir())
		if n := strings.Count(said, "note: wide: mind takes bags of at most 5000 instances; the largest has 5001: give a part of its instances, or take a learner without a bound, statistics-trees say; it is left out"); n != 1 {
			t.Errorf("%s: %d notes in\n%s", name, n, said)
		}
	}
	refuse(t, exitUse, "mind takes bags of at most 5000 instances", "run", path, "--learner", "mind", "--folds", "3", "--out", t.TempDir())
}
