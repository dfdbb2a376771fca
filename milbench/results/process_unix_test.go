//go:build unix

package results

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// namesOwner means that another process can read who holds the lock.
const namesOwner = true

func TestDiskFullErrors(t *testing.T) {
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false, syscall.EACCES: false} {
		marked := noRoom(&os.PathError{Op: "write", Path: FileName, Err: err})
		if got := errors.Is(marked, ErrDiskFull); got != want || !errors.Is(marked, err) {
			t.Errorf("%v is marked %v", err, marked)
		}
	}
}
