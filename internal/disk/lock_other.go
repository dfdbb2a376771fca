//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// lock takes the lock that the file name stands for, or fails with [ErrLocked]. A process that dies leaves it locked.
func lock(name, _ string) (release func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%w; if nobody uses it, remove %s", ErrLocked, name)
	}
	if err != nil {
		return nil, err
	}
	return func() { f.Close(); os.Remove(name) }, nil
}
