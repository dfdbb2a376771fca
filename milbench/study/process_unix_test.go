//go:build unix

package study

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// namesOwner says that another process can read who holds the lock.
const namesOwner = true

func limitFileSize(bytes uint64) {
	var limit syscall.Rlimit
	exitIf(syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	limit.Cur = bytes
	exitIf(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
}

func limitFiles(n uint64) {
	exitIf(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}))
}

// TestManyFiles merges more attempts than there may be files open.
func TestManyFiles(t *testing.T) {
	dir, one := t.TempDir(), t.TempDir()
	r := fakeRun(one, &fakeLearner{})
	r.Curves = true
	if _, err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{FileName, CurvesName} {
		text, err := os.ReadFile(filepath.Join(one, name))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		for i := range 150 {
			attempt := filepath.Join(dir, AttemptsName, fmt.Sprint(i))
			if err := os.MkdirAll(attempt, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(attempt, name), []byte(lines[i%fakeTotal]), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if out, err := helper(t, "few files", dir).CombinedOutput(); err != nil || string(out) != "48 results, 0 duplicates\n" {
		t.Errorf("%v: %s", err, out)
	}
	requireCurves(t, dir)
}

// peakMemory returns the bytes of memory that a process had at its peak.
func peakMemory(p *os.ProcessState) int64 {
	peak := p.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" { // kilobytes
		peak *= 1024
	}
	return int64(peak)
}

func exitIf(err error) {
	if err != nil {
		exitOn(err)
	}
}

// TestNoRoom lets a run hit a limit in the middle of a line: the lines before stay whole, and a run with room goes on.
func TestNoRoom(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "full")
	cmd := helper(t, "limited", dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 75 {
		t.Fatalf("%v, %s; want exit code 75", err, stderr.String())
	}
	if msg := stderr.String(); !strings.Contains(msg, FileName+": no room left") || strings.Contains(msg, "\n") {
		t.Errorf("the error is %q", msg)
	}
	kept := len(contents(t, dir))
	if kept == 0 || kept == fakeTotal {
		t.Fatalf("%d results are kept", kept)
	}
	size := fileSize(t, dir)
	if size >= 10_000 {
		t.Errorf("the file has %d bytes: the torn line was not cut off", size)
	}
	r := fakeRun(dir, &fakeLearner{})
	r.Curves = true
	sum, err := r.Do(context.Background())
	if err != nil || sum.Skipped != kept || sum.Done != fakeTotal-kept {
		t.Errorf("%+v, %v after %d kept", sum, err, kept)
	}
	undisturbed := t.TempDir()
	if _, err := fakeRun(undisturbed, &fakeLearner{}).Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(contents(t, dir), contents(t, undisturbed)) {
		t.Error("the results differ from an undisturbed run's")
	}
	requireCurves(t, dir)
}

func TestDiskFullErrors(t *testing.T) {
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false, syscall.EACCES: false} {
		marked := noRoom(&os.PathError{Op: "write", Path: FileName, Err: err})
		if got := errors.Is(marked, ErrDiskFull); got != want || !errors.Is(marked, err) {
			t.Errorf("%v is marked %v", err, marked)
		}
	}
}
