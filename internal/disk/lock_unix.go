//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// lock takes the lock that the file name stands for, or fails with [ErrLocked]. The system releases the lock of a process that
// dies; the file that it leaves behind blocks nobody.
func lock(name, owner string) (release func(), err error) {
	for {
		f, err := Append(name)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			who, _ := io.ReadAll(io.LimitReader(f, 200))
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, fmt.Errorf("%w (%s)", ErrLocked, strings.TrimSpace(string(who)))
			}
			return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
		}
		// Its last holder may have removed the file between our open and our lock.
		locked, err1 := f.Stat()
		named, err2 := os.Lstat(name)
		if err1 == nil && err2 == nil && os.SameFile(locked, named) {
			_ = f.Truncate(0)
			_, _ = f.WriteString(owner + "\n")
			return func() { os.Remove(name); f.Close() }, nil
		}
		f.Close()
	}
}
