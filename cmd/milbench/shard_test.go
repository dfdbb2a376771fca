package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/internal/large"
	"synpool/internal/reexec"
	"synpool/milbench/results"
)

// noArray takes the variables of schedulers out of the environment, and sets those given.
func noArray(t *testing.T, variables ...string) {
	t.Helper()
	for _, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX"} {
		t.Setenv(name, "")
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

func TestShardFlag(t *testing.T) {
	slurm := func(id, low, high, count, step string) []string {
		return []string{"SLURM_ARRAY_TASK_ID=" + id, "SLURM_ARRAY_TASK_MIN=" + low, "SLURM_ARRAY_TASK_MAX=" + high, "SLURM_ARRAY_TASK_COUNT=" + count, "SLURM_ARRAY_TASK_STEP=" + step}
	}
	for _, c := range []struct {
		text string
		env  []string
		want string // i/n, an error, or "" for no shard
	}{
		{"", nil, ""},
		{"0/1", nil, "0/1"},
		{"11/12", nil, "11/12"},
		{"3/12", slurm("7", "0", "9", "10", "1"), "3/12"},
		{"12/12", nil, "--shard 12/12: shards count from 0; the last of 12 is 11/12"},
		{"-1/12", nil, "--shard -1/12: shards count from 0; the last of 12 is 11/12"},
		{"0/0", nil, "--shard 0/0: 1 to 100000 shards are possible"},
		{"0/-3", nil, "1 to 100000 shards are possible"},
		{"1/1000000", nil, "1 to 100000 shards are possible"},
		{"3", nil, "--shard 3: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs"},
		{"3/x", nil, "two integers are needed"},
		{"x/3", nil, "two integers are needed"},
		{"3/4/5", nil, "two integers are needed"},
		{"/12", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which; write, say, 0/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=5"}, "5/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=12"}, "--shard /12 (JOB_COMPLETION_INDEX is 12): shards count from 0; the last of 12 is 11/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=five"}, "(JOB_COMPLETION_INDEX is five): shards count from 0"},
		{"/12", slurm("7", "7", "7", "1", "1"), "7/12"},   // one task of an array again
		{"/12", slurm("1", "1", "12", "12", "1"), "0/12"}, // a whole array, whatever it counts from
		{"/12", slurm("12", "1", "12", "12", "1"), "11/12"},
		{"", []string{"JOB_COMPLETION_INDEX=5"}, "JOB_COMPLETION_INDEX is 5, but the number of shards is not set; give --shard /n"},
		{"", slurm("0", "0", "11", "12", "1"), "0/12"},
		{"", slurm("12", "1", "12", "12", "1"), "11/12"},
		{"", slurm("40", "10", "50", "5", "10"), "3/5"},
		{"", slurm("9", "3", "9", "3", "1"), "task 9 of a Slurm array of 3 tasks from 3 to 9 is not in an evenly spaced row; give --shard /n"},
		{"", slurm("45", "10", "50", "5", "10"), "not in an evenly spaced row"},
		{"", slurm("2", "0", "", "12", "1"), `SLURM_ARRAY_TASK_MAX is "", no integer; give --shard i/n`},
		{"", slurm("two", "0", "11", "12", "1"), `SLURM_ARRAY_TASK_ID is "two", no integer`},
		{"", slurm("2", "0", "11", "12", ""), "2/12"},
		{"none", slurm("2", "0", "11", "12", "1"), ""},
		{"none", []string{"JOB_COMPLETION_INDEX=5"}, ""},
	} {
		noArray(t, c.env...)
		f := shardFlag{text: c.text}
		s, err := f.shard(1)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case s != nil:
			got = fmt.Sprintf("%d/%d", s.Index, s.Count)
		}
		if got != c.want && !(err != nil && c.want != "" && strings.Contains(got, c.want)) {
			t.Errorf("--shard %q with %q: %q, want %q", c.text, c.env, got, c.want)
		}
	}
}

func TestShardErrors(t *testing.T) {
	noArray(t)
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	for _, c := range []struct{ args, want string }{
		{"run FILE --shard 2/2 --out OUT", "--shard 2/2: shards count from 0; the last of 2 is 1/2"},
		{"study noise --shard 2/2 --out OUT", "--shard 2/2: shards count from 0; the last of 2 is 1/2"},
		{"run FILE --shard 0/2 --json --out OUT", "--json: a shard prints no table"},
		{"run --shard 0/2 --out OUT", "an argument is missing"},
		{"plan run FILE --shards 2", `milbench has no subcommand "plan": --shard i/n needs no plan, and milbench run --dry-run says what it takes`},
		{"merge OUT --out OUT", "results folder: open OUT: no such file"},
		{"merge DIR --out DIR", "no results yet"},
		{"merge DIR", "--out is missing"},
		{"merge --out OUT", "an argument is missing"},
	} {
		place := strings.NewReplacer("FILE", file, "OUT", dir, "DIR", t.TempDir())
		refuse(t, exitUse, place.Replace(c.want), strings.Fields(place.Replace(c.args))...)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s left a folder of results", c.args)
		}
	}
}

// TestMergeCommand goes from shards to a table: the run as a whole merges them and trains what is missing.
func TestMergeCommand(t *testing.T) {
	noArray(t)
	file, root := write(t, "toy.csv", toy(false)), t.TempDir()
	dir, undisturbed := filepath.Join(root, "out"), filepath.Join(root, "undisturbed")
	args := func(dir string, more ...string) []string {
		return with(append([]string{"run", file, "--pooling", "mean,max", "--folds", "3", "--repeats", "2", "--out", dir}, more...)...)
	}
	wantTable, _ := succeed(t, args(undisturbed)...)
	want := readResults(t, undisturbed)
	planned := 0
	for i := range 3 {
		out, _ := succeed(t, args(dir, "--shard", fmt.Sprintf("%d/3", i), "--dry-run", "--json")...)
		var e estimate
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatal(err)
		}
		planned += e.Total.Missing
	}
	if _, err := os.Stat(dir); err == nil || planned != 12 {
		t.Errorf("dry runs of the shards have %d fits, or left a folder (%v)", planned, err)
	}
	for _, i := range []string{"0", "2"} {
		t.Setenv("JOB_COMPLETION_INDEX", i)
		succeed(t, args(dir, "--shard", "/3")...)
	}
	noArray(t)
	trained, err := results.Finished(dir, nil)
	if err != nil || len(trained) == 0 || len(trained) == 12 {
		t.Fatalf("%d fits of two shards, %v", len(trained), err)
	}
	refuse(t, exitUse, "puts those of its shards together", "table", dir)
	if out, _ := succeed(t, args(dir, "--dry-run", "--json")...); !strings.Contains(out, fmt.Sprintf(`"missing": %d,`, 12-len(trained))) {
		t.Errorf("a dry run of the rest: %s", out)
	}
	if out, stderr := succeed(t, args(dir)...); out != wantTable || !strings.Contains(stderr, fmt.Sprintf("%d of 12 fits done", 12-len(trained))) {
		t.Errorf("%s\n%s", stderr, out)
	}
	if got := readResults(t, dir); !slices.Equal(got, want) {
		t.Error("the results are not those of one run")
	}
	if out, _ := succeed(t, "table", dir); out != wantTable {
		t.Errorf("the table is\n%s, want\n%s", out, wantTable)
	}

	// Another machine has trained the rest.
	succeed(t, args(dir, "--repeats", "3", "--shard", "0/1")...)
	for _, args := range [][]string{{"table", dir}, {"plot", dir, "--out", filepath.Join(root, "auc.svg")}} {
		if o := milbenchOf(t.Context(), args...); !strings.Contains(o.err, fmt.Sprintf("note: left out: %s holds 6 results of shards that are not merged", dir)) {
			t.Errorf("%s of results that are not all merged:\n%s", args[0], o.err)
		}
	}
	if _, stderr := succeed(t, "merge", dir, "--out", filepath.Join(root, "both")); !strings.Contains(stderr, "18 results, ") || strings.Contains(stderr, "note:") {
		t.Error(stderr)
	}
	attempts, err := filepath.Glob(filepath.Join(dir, results.AttemptsName, "*", results.FileName))
	if err != nil || len(attempts) != 3 {
		t.Fatalf("%d attempts, %v", len(attempts), err)
	}
	kept, err := os.ReadFile(attempts[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(attempts[0], append([]byte("damaged\n"), kept...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr := succeed(t, "table", dir); !strings.Contains(stderr, "note: cannot tell whether results of shards are left out: ") {
		t.Errorf("a table beside a damaged attempt: %s", stderr)
	}
	other := bytes.ReplaceAll(kept, []byte(`"backend":"`), []byte(`"backend":"other`))
	if err := os.WriteFile(attempts[0], other, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{{"--shard", "0/2"}, nil} {
		refuse(t, exitUse, "choose another --out, or use that version and backend", args(dir, more...)...)
	}
	refuse(t, exitUse, "merge results of one version and backend", "merge", dir, "--out", filepath.Join(root, "third"))
}

// TestFailedShard: a fit that fails three times ends the shard with 1, and the others are there.
func TestFailedShard(t *testing.T) {
	noArray(t)
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	o := milbenchOf(t.Context(), with("run", file, "--pooling", "mean", "--lr", "1e30,0.001", "--folds", "2", "--repeats", "1", "--out", dir, "--shard", "0/1")...)
	if o.code != exitFinding || !strings.Contains(o.err, "2 of 4 fits done") || !strings.Contains(o.err, "2 failed") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
	if _, stderr := succeed(t, "merge", dir, "--out", dir); !strings.Contains(stderr, "2 results, ") {
		t.Error(stderr)
	}
}

// startStubborn starts a command that does not heed its context, and waits until it runs.
func startStubborn(t *testing.T) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	c, stderr = reexec.Command(t, "stubborn"), &bytes.Buffer{}
	c.Stderr = stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return c, stderr
}

// TestGivenUp: what does not heed a signal is given up in time, and a second SIGTERM, of a scheduler that sends it to the
// script and to its child, does not take the grace away.
func TestGivenUp(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel() // it waits
			c, stderr := startStubborn(t)
			start := time.Now()
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if signal == syscall.SIGTERM {
				time.Sleep(grace / 3)
				if err := c.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			c.Wait() // the exit code tells
			if took := time.Since(start); took < grace || took > 5*time.Second || c.ProcessState.ExitCode() != code || !strings.Contains(stderr.String(), "run the same command again to resume") {
				t.Errorf("%v: exit code %d after %v\n%s", signal, c.ProcessState.ExitCode(), took, stderr)
			}
		})
	}
}

// TestInterruptedTwice: who presses Ctrl-C a second time does not wait.
func TestInterruptedTwice(t *testing.T) {
	t.Parallel() // it waits
	c, _ := startStubborn(t)
	start := time.Now()
	for range 2 {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(grace / 3)
	}
	c.Wait() // how it ended tells
	if s := c.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT || time.Since(start) >= grace {
		t.Errorf("%v after %v", c.ProcessState, time.Since(start))
	}
}

// TestKilledShards kills processes of twelve shards, and merges, at random moments, sometimes two of one shard at a time, and gives the
// same commands again until all have ended: the merged results are those of an undisturbed run except for order and wall time,
// and the tables are the same to the byte.
func TestKilledShards(t *testing.T) {
	noArray(t)
	shards := large.Number(4, 12)
	kills, longest, repeats := large.Number(4, 50), 250*time.Millisecond, fmt.Sprint(large.Number(12, 30))
	if os.Getenv("GOMLX_BACKEND") != "go" { // starts more slowly, even with what the first run has compiled
		longest = 600 * time.Millisecond
	}
	file, root := write(t, "toy.csv", toy(false)), t.TempDir()
	args := []string{
		file, "--pooling", "mean,syn", "--iterations", "3", "--folds", "4", "--repeats", repeats, "--cores", "1", "--curves",
		"--width", "8", "--embed", "8", "--heads", "2", "--epochs", "10", "--batch", "4",
	}
	undisturbed := filepath.Join(root, "undisturbed")
	if out, err := process(t, append([]string{"run", "--out", undisturbed}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := readResults(t, undisturbed)
	random := rand.New(rand.NewPCG(8, 5))
	killed, during, rounds := 0, 0, 0
	for killed < kills || during == 0 && rounds < 20 { // until a kill has hit a folder with results
		dir := filepath.Join(root, fmt.Sprint("killed", rounds))
		rounds++
		for shard := range shards {
			for ended := false; !ended; {
				var running []*exec.Cmd
				for range 1 + random.IntN(5)/4 {
					c := process(t, append([]string{"run", "--shard", fmt.Sprintf("%d/%d", shard, shards), "--out", dir}, args...)...)
					c.Stderr = &bytes.Buffer{}
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					running = append(running, c)
				}
				if (killed < kills || during == 0) && random.IntN(3) > 0 {
					time.Sleep(time.Duration(random.Int64N(int64(longest))))
					for _, c := range running {
						if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
							t.Fatal(err)
						}
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
				} else if !ended && len(finished) > 0 {
					during++
				}
			}
		}
		for range 5 {
			c := process(t, "merge", dir, "--out", dir)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.Int64N(int64(100 * time.Millisecond))))
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			c.Wait() // however it ended
		}
		if _, stderr := succeed(t, "merge", dir, "--out", dir); strings.Contains(stderr, "note:") {
			t.Errorf("a merge of results that are alike:\n%s", stderr)
		}
		if got := readResults(t, dir); !slices.Equal(got, want) {
			t.Errorf("%d results, not those of an undisturbed run (%d)", len(got), len(want))
		}
		requireCurves(t, dir)
		for _, format := range results.Formats {
			got, _ := succeed(t, "table", dir, "--format", format)
			if wanted, _ := succeed(t, "table", undisturbed, "--format", format); got != wanted {
				t.Errorf("the table is\n%s, want\n%s", got, wanted)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*.part")); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
	t.Logf("%d kills, %d of them with results there, in %d rounds of %d shards", killed, during, rounds, shards)
	if during < kills/4 {
		t.Errorf("only %d of %d kills hit with results there", during, killed)
	}
}

// TestStoppedShard: a shard that is told to stop ends within 5 s with 143, what it has finished is on the disk, and the same
// command goes on from there.
func TestStoppedShard(t *testing.T) {
	noArray(t)
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	args := append(long(file, dir), "--shard", "0/1")
	c := process(t, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if finished, err := results.Finished(dir, nil); err == nil && len(finished) >= 5 || time.Now().After(deadline) {
			break
		}
	}
	start := time.Now()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.Wait() // the exit code tells
	if took := time.Since(start); took > 5*time.Second || c.ProcessState.ExitCode() != 143 || !strings.Contains(stderr.String(), "run the same command again to resume") {
		t.Errorf("exit code %d after %v\n%s", c.ProcessState.ExitCode(), took, &stderr)
	}
	finished, err := results.Finished(dir, nil)
	if err != nil || len(finished) < 5 || len(finished) >= 60 {
		t.Fatalf("%d results, %v", len(finished), err)
	}
	if _, stderr := succeed(t, args...); !strings.Contains(stderr, fmt.Sprintf("%d of 60 fits done", 60-len(finished))) {
		t.Error(stderr)
	}
	if _, stderr := succeed(t, "merge", dir, "--out", dir); !strings.Contains(stderr, "60 results, 0 duplicates left out") {
		t.Error(stderr)
	}
}
