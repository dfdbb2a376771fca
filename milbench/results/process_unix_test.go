//go:build unix

package results

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"synpool/internal/reexec"
)

// namesOwner means that another process can read who holds the lock.
const namesOwner = true

func limitFiles(n uint64) {
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
		reexec.Exit(err)
	}
}

// TestManyFiles merges more attempts than a process may have open files.
func TestManyFiles(t *testing.T) {
	f := newFake()
	f.curves = true
	dir, one := t.TempDir(), f.folder(t)
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
	if out, err := reexec.Command(t, "few files", dir).CombinedOutput(); err != nil || string(out) != "48 results, 0 duplicates\n" {
		t.Errorf("%v: %s", err, out)
	}
	requireCurves(t, dir)
}

// peakMemory returns the peak memory of a process in bytes.
func peakMemory(p *os.ProcessState) int64 {
	peak := p.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS != "darwin" { // kilobytes
		peak *= 1024
	}
	return int64(peak)
}

func TestDiskFullErrors(t *testing.T) {
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false, syscall.EACCES: false} {
		marked := noRoom(&os.PathError{Op: "write", Path: FileName, Err: err})
		if got := errors.Is(marked, ErrDiskFull); got != want || !errors.Is(marked, err) {
			t.Errorf("%v is marked %v", err, marked)
		}
	}
}
