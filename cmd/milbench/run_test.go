package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	"synpool/milbench/results"
)

// readResults returns the lines of a results folder, wall times aside, in order.
func readResults(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(contents(t, dir, results.FileName)) {
		var r map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		delete(r, "wall_s")
		line, err := json.Marshal(r)
		must(t, err)
		all = append(all, string(line))
	}
	slices.Sort(all)
	return all
}

// rows reads the table that a command prints as JSON.
func rows(t *testing.T, args ...string) map[string]results.Row {
	t.Helper()
	byName := make(map[string]results.Row)
	for _, r := range decoded[[]results.Row](t, append(args, "--json")...) {
		byName[r.Set+": "+r.Setting] = r
	}
	return byName
}

func TestRun(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), newFolder(t)
	args := func(dir string, more ...string) []string {
		return with(append([]string{"run", file, "--pooling", "softmax,syn,mean", "--iterations=-1,2", "--folds", "2", "--out", dir}, more...)...)
	}
	_, stderr := succeed(t, args(dir, "--repeats", "2")...)
	first := readResults(t, dir)
	if len(first) != 16 || !strings.Contains(stderr, "16 of 16 fits done") || strings.Count("\n"+stderr, "\nbackend ") != 1 || strings.Contains(stderr, "\r") {
		t.Errorf("%d results:\n%s", len(first), stderr)
	}
	has(t, first[len(first)-1], `"winners":[`, `"backend":"`, `"version":"`, `"revision":"`, `"seed":1`, `"config":{"batch":4`)
	table := rows(t, "table", dir)
	// A setting that a pooling lacks does not multiply its fits: 4 settings, 2 repeats, 2 folds.
	if got, want := slices.Sorted(maps.Keys(table)), []string{"toy: mean", "toy: softmax", "toy: syn I=-1", "toy: syn I=2"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	for name, r := range table {
		if r.N != 2 || r.Protocol != "honest" || r.Optimistic || r.Leaked || r.SD == nil || r.Folds != 2 {
			t.Errorf("%s: %+v", name, r)
		}
	}

	// Nothing is run twice, and more repeats go on where these ended.
	if again := rows(t, args(dir, "--repeats", "2")...); !reflect.DeepEqual(again, table) || !slices.Equal(readResults(t, dir), first) {
		t.Errorf("a second run changed something: %v", again)
	}
	out, stderr := succeed(t, args(dir, "--repeats", "3", "--curves")...)
	has(t, stderr, "8 of 24 fits done", "note: 16 earlier results have no curves")
	has(t, out, "| toy | syn I=-1 |")

	for format, want := range map[string]string{"md": "| Set ", "csv": "set,setting,target,figure,mean", "tex": `\begin{tabular}`, "html": "<table", "json": `"mean":`} {
		out, _ := succeed(t, "table", dir, "--format", format)
		has(t, out, want)
	}
}

func TestRunMarks(t *testing.T) {
	file, dir := write(t, "leaky.csv", toy(true)), newFolder(t)
	args := func(more ...string) []string {
		return with(append([]string{"run", file, "--pooling", "max", "--folds", "2", "--out", dir}, more...)...)
	}
	for _, args := range [][]string{args(), args("--instance-label-column", "1"), with("train", file, "--out", dir)} {
		refuse(t, exitFinding, "column 4 (answer)", args...)
		refuse(t, exitFinding, "--instance-label-column last", args...)
		refuse(t, exitFinding, "; if it is a label, --instance-label-column last moves it out of the features; if it is a measurement, --keep-leak trains with it", args...)
	}
	refuse(t, exitFinding, "column 4 (answer)", "audit", file)
	absent(t, dir)

	succeed(t, args("--repeats", "1", "--instance-label-column", "last")...)
	_, stderr := succeed(t, args("--repeats", "1", "--keep-leak")...)
	has(t, stderr, "every result is marked leaked")
	out, _ := succeed(t, args("--protocol", "published", "--keep-leak", "--folds", "4")...)
	has(t, out, "honest, 2 folds, LEAKED", "published, 1 of 4 folds, optimistic, LEAKED", "honest, 2 folds  ")
	leaked, optimistic := 0, 0
	for _, line := range readResults(t, dir) {
		leaked += strings.Count(line, `"leaked":true`)
		optimistic += strings.Count(line, `"optimistic":true`)
	}
	if leaked != 3 || optimistic != 1 { // two honest folds and one published
		t.Errorf("%d results are marked leaked and %d optimistic, want 3 and 1", leaked, optimistic)
	}
}

// twice is the toy with bag b8 standing there a second time, as c8 with the label given.
func twice(label string) string {
	text := toy(false)
	for line := range strings.Lines(text) {
		if rest, is := strings.CutPrefix(line, "b8,0,"); is {
			text += "c8," + label + "," + rest
		}
	}
	return text
}

// Bags that stand there twice are named, and never trained on and tested on, whatever their ids.
func TestRunDuplicates(t *testing.T) {
	file, dir := write(t, "twice.csv", twice("0")), newFolder(t)
	prints(t, "note: "+file+": the same instances stand in the bags b8, c8", "run", file, "--learner", "instance", "--folds", "3", "--repeats", "4", "--out", dir)
	for _, line := range readResults(t, dir) {
		if strings.Contains(line, `"id":"b8"`) != strings.Contains(line, `"id":"c8"`) {
			t.Errorf("tested on one of two bags that are the same: %s", line)
		}
	}
	conflict := write(t, "conflict.csv", twice("1"))
	prints(t, "b8, c8, with different labels", "audit", conflict)
	prints(t, "bags of the same instances have different labels: b8, c8; no learner can be right on all of them", "train", conflict, "--learner", "instance", "--out", newFolder(t))
}

// A fit that fails three times ends a run, and a shard, with 1, and the others are there.
func TestRunFailedFit(t *testing.T) {
	noArray(t)
	file := write(t, "toy.csv", toy(false))
	for _, more := range [][]string{nil, {"--shard", "0/1"}} {
		dir := newFolder(t)
		o := milbenchOf(t.Context(), append(with("run", file, "--pooling", "mean", "--lr", "1e30,0.001", "--folds", "2", "--repeats", "1", "--out", dir), more...)...)
		if o.code != exitFinding || strings.Count(o.err, "milbench: toy: repeat 1, fold ") != 2 || strings.Count(o.err, ", seed 1, {") != 2 || !strings.Contains(o.err, "2 of 4 fits done") || !strings.Contains(o.err, "2 failed") {
			t.Errorf("exit code %d\n%s", o.code, o.err)
		}
		if finished, err := results.Finished(dir, nil); err != nil || len(finished) != 2 || more == nil && !strings.Contains(o.out, "| toy | mean") {
			t.Errorf("the fits that succeeded are not there: %v\n%s", err, o.out)
		}
	}
}

// requireCurves wants one curve of each result.
func requireCurves(t *testing.T, dir string) {
	t.Helper()
	rs, err1 := results.Read(dir)
	curves, err2 := results.ReadCurves(dir)
	must(t, errors.Join(err1, err2))
	fits := make(map[string]bool)
	for _, c := range curves {
		if fits[c.Fit] {
			t.Errorf("two curves of fit %s", c.Fit)
		}
		fits[c.Fit] = true
	}
	for _, r := range rs {
		delete(fits, r.Fit)
	}
	if len(curves) != len(rs) || len(fits) > 0 {
		t.Errorf("%d results and %d curves; without a result: %v", len(rs), len(curves), fits)
	}
}

func TestRunLocked(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), newFolder(t)
	f, err := results.Open(dir)
	must(t, err)
	args := with("run", file, "--pooling", "mean", "--folds", "2", "--repeats", "1", "--out", dir)
	refuse(t, exitTryAgain, "in use by another run", args...)
	must(t, f.Close())
	succeed(t, args...)
}

// long is a run of 60 fits that take a while.
func long(file, dir string) []string {
	return []string{
		"run", file, "--pooling", "mean,syn", "--iterations", "3", "--folds", "3", "--repeats", "10", "--out", dir,
		"--width", "8", "--embed", "8", "--heads", "2", "--epochs", "10", "--batch", "4",
	}
}

// stopWhen starts a command, sends it a signal once ready says so, and wants it to end within 5 s with a code and to say how to resume.
func stopWhen(t *testing.T, ready func() bool, signal syscall.Signal, code int, args ...string) {
	t.Helper()
	var stderr bytes.Buffer
	c := process(t, args...)
	c.Stderr = &stderr
	must(t, c.Start())
	for deadline := time.Now().Add(3 * time.Minute); !ready(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.Process.Kill()
			t.Fatalf("not ready after three minutes:\n%s", &stderr)
		}
	}
	start := time.Now()
	must(t, c.Process.Signal(signal))
	c.Wait() // the exit code tells
	if took, got := time.Since(start), c.ProcessState.ExitCode(); took > 5*time.Second || got != code || !strings.Contains(stderr.String(), "run the same command again to resume") {
		t.Errorf("exit code %d after %v, want %d:\n%s", got, took, code, &stderr)
	}
}

// TestStoppedRunsGoOn: what a run or a shard had finished when it was told to stop is kept, and the same command goes on from there.
func TestStoppedRunsGoOn(t *testing.T) {
	noArray(t)
	file, undisturbed := write(t, "toy.csv", toy(false)), newFolder(t)
	succeed(t, long(file, undisturbed)...)
	want := readResults(t, undisturbed)
	for _, c := range []struct {
		signal syscall.Signal
		code   int
		more   []string
	}{
		{syscall.SIGTERM, 143, nil},
		{syscall.SIGINT, 130, nil},
		{syscall.SIGTERM, 143, []string{"--shard", "0/1"}},
	} {
		t.Run(fmt.Sprint(c.signal, c.more), func(t *testing.T) {
			dir := newFolder(t)
			args := append(long(file, dir), c.more...)
			finished := func() int {
				all, err := results.Finished(dir, nil)
				if err != nil {
					return 0
				}
				return len(all)
			}
			stopWhen(t, func() bool { return finished() >= 5 }, c.signal, c.code, args...)
			before := finished()
			if before < 5 || before >= len(want) {
				t.Fatalf("stopped after %d of %d results", before, len(want))
			}
			_, stderr := succeed(t, args...)
			has(t, stderr, fmt.Sprintf("%d of 60 fits done", 60-before))
			if c.more != nil {
				_, stderr = succeed(t, "merge", dir, "--out", dir)
				has(t, stderr, "60 results, 0 duplicates left out")
			}
			if got := readResults(t, dir); !slices.Equal(got, want) {
				t.Errorf("%d results, not those of an undisturbed run (%d)", len(got), len(want))
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

// TestKilled kills runs at random moments, from their first instant to their last, and shards, sometimes two processes of one at a time, and
// merges. It gives the same command again until it has ended: the results are those of an undisturbed run except for order and wall
// time, and the tables are byte-identical.
func TestKilled(t *testing.T) {
	noArray(t)
	file, undisturbed, repeats := write(t, "toy.csv", toy(false)), newFolder(t), large.Number(12, 30)
	args := func(dir string, more ...string) []string {
		return append([]string{
			"run", file, "--pooling", "mean,syn", "--learner", "statistics-trees,distance-svm", "--iterations", "3", "--folds", "4", "--repeats", fmt.Sprint(repeats), "--cores", "2", "--curves", "--out", dir,
			"--width", "8", "--embed", "8", "--heads", "2", "--epochs", "10", "--batch", "4",
		}, more...)
	}
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
	within := func(longest time.Duration) time.Duration {
		if os.Getenv("GOMLX_BACKEND") != "go" { // starts more slowly, even with what the first run has compiled
			longest *= 2
		}
		return time.Duration(random.Int64N(int64(longest)))
	}
	kill := func(c *exec.Cmd) {
		if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
	}
	for _, shards := range []int{1, large.Number(4, 12)} {
		kills, killed, during, rounds := large.Number(4, 24*min(shards, 2)), 0, 0, 0 // during: kills that left some results, and not all
		for killed < kills || during == 0 && rounds < 20 {                           // until a kill has hit a folder with results
			dir := newFolder(t)
			rounds++
			for shard := range shards {
				command, processes, longest := args(dir), 1, 400*time.Millisecond
				if shards > 1 {
					command, processes, longest = args(dir, "--shard", fmt.Sprintf("%d/%d", shard, shards)), 1+random.IntN(5)/4, 250*time.Millisecond
				}
				for ended := false; !ended; {
					var running []*exec.Cmd
					for range processes {
						c := process(t, command...)
						c.Stderr = &bytes.Buffer{}
						must(t, c.Start())
						running = append(running, c)
					}
					if killed < kills || during == 0 {
						time.Sleep(within(longest))
						for _, c := range running {
							kill(c)
						}
					}
					for _, c := range running {
						err := c.Wait()
						ended = ended || err == nil
						if err != nil && c.ProcessState.ExitCode() != -1 {
							t.Fatalf("%v\n%s", err, c.Stderr)
						}
						if err != nil {
							killed++
						}
					}
					if finished, err := results.Finished(dir, nil); err != nil {
						t.Error(err)
					} else if !ended && len(finished) > 0 && len(finished) < len(want) {
						during++
					}
				}
			}
			if shards > 1 {
				for range 5 {
					c := process(t, "merge", dir, "--out", dir)
					must(t, c.Start())
					time.Sleep(within(100 * time.Millisecond))
					kill(c)
					c.Wait() // however it ended
				}
				if _, stderr := succeed(t, "merge", dir, "--out", dir); strings.Contains(stderr, "note:") {
					t.Errorf("a merge of results that are alike:\n%s", stderr)
				}
			}
			if got := readResults(t, dir); !slices.Equal(got, want) {
				t.Errorf("%d results, not those of an undisturbed run (%d)", len(got), len(want))
			}
			if got := tables(dir); got != wantTables {
				t.Errorf("the tables are\n%s, want\n%s", got, wantTables)
			}
			requireCurves(t, dir)
			for _, pattern := range []string{"*.part", ".*.part"} {
				if left, _ := filepath.Glob(filepath.Join(dir, pattern)); left != nil {
					t.Errorf("left behind: %v", left)
				}
			}
		}
		t.Logf("%d shards: %d kills, %d of them between the first result and the last, in %d rounds", shards, killed, during, rounds)
		if during < kills/4 {
			t.Errorf("%d shards: only %d of %d kills hit between the first result and the last", shards, during, killed)
		}
	}
}

// Of a bag that is too large, a learner and a candidate of a portfolio take some instances, and a line says so.
func TestRunLargeBag(t *testing.T) {
	path := write(t, "wide.csv", bagTable("label,a", 12, func(bag int) int { return map[bool]int{true: 5001, false: 2}[bag == 3] },
		func(bag, instance int) string { return fmt.Sprintf("%d,%d", bag%2, instance+bag) }))
	for name, want := range map[string]string{
		"auto": "note: wide: auto: with at most 5000 instances of a bag: mind, set-kernel-svm, miles, mi-svm-bag, citation-knn",
		"mind": "note: wide: mind learns from at most 5000 instances of a bag, and scores a bag by so many; it takes no more",
	} {
		_, said := succeed(t, "run", path, "--learner", name, "--folds", "3", "--repeats", "1", "--dry-run", "--out", t.TempDir())
		if n := strings.Count(said, want); n != 1 || strings.Contains(said, "left out") {
			t.Errorf("%s: %d notes in\n%s", name, n, said)
		}
	}
	model := t.TempDir()
	if _, said := succeed(t, "train", path, "--learner", "mind", "--out", model+"/model"); !strings.Contains(said, "at most 5000 instances") {
		t.Errorf("train: %s", said)
	}
	if scores, _ := succeed(t, "predict", model+"/model", path); strings.Count(scores, "\n") != 13 {
		t.Errorf("predict: %s", scores)
	}
}
