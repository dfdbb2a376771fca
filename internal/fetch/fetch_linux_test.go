package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestFullDisk(t *testing.T) {
	s := serve(t, file(content))
	dst := filepath.Join(t.TempDir(), "file")
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 100, Max: limit.Max}))
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	err := quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil)
	if !errors.Is(err, ErrTemporary) || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatal(err)
	}
	if len(s.ranges) != 1 {
		t.Errorf("%d requests, want 1: a full disk is not worth a second attempt", len(s.ranges))
	}
}

// TestReadOnlyFolder uses a folder that even the superuser cannot write to.
func TestReadOnlyFolder(t *testing.T) {
	s := serve(t, file(content))
	for _, dst := range []string{"/proc/self/file", "/proc/self/new/file"} {
		err := quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil)
		if !errors.Is(err, ErrFolder) || !strings.Contains(err.Error(), "/proc/self") {
			t.Errorf("%s: %v", dst, err)
		}
	}
	if err := quick().Get(t.Context(), s.URL, "/proc/version", Sums{}, nil); err != nil {
		t.Errorf("a file that is right already: %v", err)
	}
}

// TestLockFileOfDeadProcess leaves a lock file as a killed process does.
func TestLockFileOfDeadProcess(t *testing.T) {
	s := serve(t, file(content))
	dst := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(dst+".lock", nil, 0o666))
	must(t, quick().Get(t.Context(), s.URL, dst, sumsOf(content), nil))
}
