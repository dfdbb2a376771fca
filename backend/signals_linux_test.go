//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"golang.org/x/sys/unix"
)

// interrupting are signals that a process receives in ordinary life: from its profiler, from Go's scheduler, from a user.
var interrupting = []unix.Signal{unix.SIGPROF, unix.SIGURG, unix.SIGINT, unix.SIGTERM, unix.SIGWINCH, unix.SIGCHLD}

// TestSignals lets XLA multiply matrices in a client of its own and looks which signals its threads let through.
func TestSignals(t *testing.T) {
	err := onCPU(t).Cores(1).Run(func(b compute.Backend) error {
		product, err := graph.NewExec(b, func(x *graph.Node) *graph.Node { return graph.MatMul(x, x) })
		if err != nil {
			return err
		}
		defer product.Finalize()
		row := make([]float32, 512)
		if _, err := product.Call(slices.Repeat([][]float32{row}, len(row))); err != nil {
			return err
		}
		tasks, err := filepath.Glob("/proc/self/task/*")
		pools := 0
		for _, task := range tasks {
			name, err := os.ReadFile(filepath.Join(task, "comm"))
			if err != nil || !strings.HasPrefix(string(name), "tf_") { // what XLA calls its threads
				continue
			}
			status, err := os.ReadFile(filepath.Join(task, "status"))
			if err != nil {
				continue // it has ended
			}
			pools++
			_, rest, _ := strings.Cut(string(status), "\nSigBlk:")
			var blocked uint64
			if _, err := fmt.Sscanf(rest, "%x", &blocked); err != nil {
				return fmt.Errorf("%s: %w:\n%s", task, err, status)
			}
			for _, s := range interrupting {
				if blocked>>(s-1)&1 == 0 {
					t.Errorf("thread %s lets %v through", strings.TrimSpace(string(name)), s)
				}
			}
		}
		if pools == 0 {
			t.Error("XLA has no threads")
		}
		return err
	})
	must(t, err)
}

// TestWithoutSignals looks at the mask of the thread before, in and after a call.
func TestWithoutSignals(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mask := func() (now unix.Sigset_t) {
		if err := unix.PthreadSigmask(unix.SIG_SETMASK, nil, &now); err != nil {
			t.Error(err)
		}
		return now
	}
	before, failed := mask(), errors.New("failed")
	err := withoutSignals(func() error {
		now := mask()
		has := func(s unix.Signal) bool { return now.Val[0]>>(s-1)&1 == 1 }
		for _, s := range interrupting {
			if !has(s) {
				t.Errorf("%v is not blocked", s)
			}
		}
		for _, s := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS, 32, 33, 34} {
			if has(s) {
				t.Errorf("signal %d is blocked", s)
			}
		}
		return failed
	})
	if err != failed || mask() != before {
		t.Errorf("%v, and the mask afterwards is %x, was %x", err, mask(), before)
	}
	func() {
		defer func() { _ = recover() }()
		_ = withoutSignals(func() error { panic("foreign code") })
	}()
	if mask() != before {
		t.Errorf("after a panic the mask is %x, was %x", mask(), before)
	}
}
