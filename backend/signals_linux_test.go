//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/gomlx/compute"
	"golang.org/x/sys/unix"
)

// TestSignals starts clients and looks which signals XLA's threads let through: those of faults alone.
func TestSignals(t *testing.T) {
	c := onCPU(t)
	blocked := func() map[string]uint64 {
		files, err := filepath.Glob("/proc/self/task/*/status")
		if err != nil || len(files) == 0 {
			t.Fatalf("no threads in %v: %v", files, err)
		}
		masks := map[string]uint64{}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				continue // it has ended
			}
			_, mask, found := strings.Cut(string(text), "\nSigBlk:")
			var bits uint64
			if _, err := fmt.Sscanf(mask, "%x", &bits); !found || err != nil {
				t.Fatalf("%s: %v:\n%s", file, err, text)
			}
			masks[file] = bits
		}
		return masks
	}
	has := func(mask uint64, s syscall.Signal) bool { return mask>>(s-1)&1 == 1 }
	err := c.Cores(1).Run(func(compute.Backend) error {
		pools := 0
		for file, mask := range blocked() {
			name, err := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
			if err != nil || !strings.HasPrefix(string(name), "tf_") { // what XLA calls its threads
				continue
			}
			pools++
			for _, s := range []syscall.Signal{syscall.SIGPROF, syscall.SIGURG, syscall.SIGINT, syscall.SIGTERM, syscall.SIGWINCH, syscall.SIGCHLD} {
				if !has(mask, s) {
					t.Errorf("thread %s %s lets %v through", file, name, s)
				}
			}
			if has(mask, syscall.SIGSEGV) {
				t.Errorf("thread %s %s: a fault could not be reported", file, name)
			}
		}
		if pools == 0 {
			t.Error("XLA has no threads")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mask := func() (now unix.Sigset_t) {
		if err := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &now); err != nil {
			t.Fatal(err)
		}
		return now
	}
	before, failed := mask(), errors.New("failed")
	if err := withoutSignals(func() error { return failed }); err != failed || mask() != before {
		t.Errorf("%v, and the caller's mask is %x, was %x", err, mask(), before)
	}
}
