package disk

import (
	"io/fs"
	"syscall"
)

// lock takes the lock that the file name stands for, or fails with [ErrLocked]. Only one handle can open the file, and the
// file is deleted with it, even if the process dies.
func lock(name, _ string) (release func(), err error) {
	const (
		deleteAccess  = 0x10000    // DELETE
		deleteOnClose = 0x04000000 // FILE_FLAG_DELETE_ON_CLOSE
		sharing       = syscall.Errno(32)
		deletePending = syscall.Errno(303)
	)
	path, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
	}
	h, err := syscall.CreateFile(path, syscall.GENERIC_WRITE|deleteAccess, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
	switch err {
	case nil:
		return func() { syscall.CloseHandle(h) }, nil
	case sharing, deletePending:
		return nil, ErrLocked
	}
	return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
}
