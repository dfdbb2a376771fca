//go:build unix

package run_test

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"synpool/internal/reexec"
	"synpool/milbench/results"
	"synpool/milbench/run/runtest"
)

// limitFileSize limits the size of files until unlimit is called.
func limitFileSize(bytes uint64) (unlimit func()) {
	var before syscall.Rlimit
	exitIf(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	exitIf(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
	return func() { exitIf(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before)) }
}

func exitIf(err error) {
	if err != nil {
		exitOn(err)
	}
}

// TestNoRoom lets a run hit a limit in the middle of a line. The lines before stay intact, and a run with enough room
// resumes.
func TestNoRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "full")
	cmd := reexec.Command(t, "limited", dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 75 {
		t.Fatalf("%v, %s; want exit code 75", err, stderr.String())
	}
	if msg := stderr.String(); !strings.Contains(msg, results.FileName+": no room left") || strings.Contains(msg, "\n") {
		t.Errorf("the error is %q", msg)
	}
	kept := len(contents(t, dir))
	if kept == 0 || kept == runtest.Fits {
		t.Fatalf("%d results are kept", kept)
	}
	if size := len(readFile(t, dir, results.FileName)); size >= 10_000 {
		t.Errorf("the file has %d bytes: the torn line was not cut off", size)
	}
	r := runtest.Run(dir, &runtest.Learner{})
	r.Curves = true
	sum, err := r.Do(context.Background())
	if err != nil || sum.Skipped != kept || sum.Done != runtest.Fits-kept {
		t.Errorf("%+v, %v after %d kept", sum, err, kept)
	}
	if !maps.Equal(contents(t, dir), undisturbed(t)) {
		t.Error("the results differ from an undisturbed run's")
	}
	requireCurves(t, dir)
}
