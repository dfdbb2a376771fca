//go:build !windows

package disk

import (
	"errors"
	"os"
	"syscall"
)

// alive reports whether a process may still run.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
