//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package fetch

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lock takes the lock that the file name stands for, or fails with errLocked. The system releases the lock of a process that
// dies; the file that it leaves behind blocks nobody.
func lock(name string) (release func(), err error) {
	for {
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return nil, errLocked
			}
			return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
		}
		// Its last holder may have removed the file between our open and our lock.
		locked, err1 := f.Stat()
		named, err2 := os.Stat(name)
		if err1 == nil && err2 == nil && os.SameFile(locked, named) {
			return func() { os.Remove(name); f.Close() }, nil
		}
		f.Close()
	}
}
