package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/internal/reexec"
	"synpool/milbench/results"
)

// noArray takes the variables of schedulers out of the environment.
func noArray(t *testing.T) {
	t.Helper()
	for _, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX"} {
		t.Setenv(name, "")
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
		planned += decoded[estimate](t, args(dir, "--shard", fmt.Sprintf("%d/3", i), "--dry-run", "--json")...).Total.Missing
	}
	if planned != 12 {
		t.Errorf("dry runs of the shards have %d fits", planned)
	}
	absent(t, dir)
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
	prints(t, fmt.Sprintf(`"missing": %d,`, 12-len(trained)), args(dir, "--dry-run", "--json")...)
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
	kept := contents(t, attempts[0])
	put(t, attempts[0], "damaged\n"+kept)
	prints(t, "note: cannot tell whether results of shards are left out: ", "table", dir)
	put(t, attempts[0], strings.ReplaceAll(kept, `"backend":"`, `"backend":"other`))
	for _, more := range [][]string{{"--shard", "0/2"}, nil} {
		refuse(t, exitUse, "choose another --out, or use that version and backend", args(dir, more...)...)
	}
	refuse(t, exitUse, "merge results of one version and backend", "merge", dir, "--out", filepath.Join(root, "third"))
}

// startStubborn starts a command that does not heed its context, and waits until it runs.
func startStubborn(t *testing.T) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	c, stderr = reexec.Command(t, "stubborn"), &bytes.Buffer{}
	c.Stderr = stderr
	stdout, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
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
			must(t, c.Process.Signal(signal))
			if signal == syscall.SIGTERM {
				time.Sleep(grace / 3)
				must(t, c.Process.Signal(signal))
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
		must(t, c.Process.Signal(os.Interrupt))
		time.Sleep(grace / 3)
	}
	c.Wait() // how it ended tells
	if s := c.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT || time.Since(start) >= grace {
		t.Errorf("%v after %v", c.ProcessState, time.Since(start))
	}
}
