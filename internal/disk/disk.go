// Package disk opens, replaces and locks files so that nothing is lost: it waits for no pipe, follows no symbolic link out of
// a folder, and replaces a file only by a complete one.
package disk

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// regular reports anything that is not a regular file: a folder, a device, a pipe or a socket.
func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.IsDir():
		return fmt.Errorf("%s: is a folder, not a file", path)
	}
	return fmt.Errorf("%s: not a regular file; move it away or name another", path)
}

// Open opens a regular file for reading. It refuses pipes, which may never have a writer, and devices, except those that the
// shell has opened for the program, such as /dev/stdin.
func Open(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !handed(filepath.Clean(path)) {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	return os.Open(path)
}

// handed reports whether a path names an open file of the process, as /dev/stdin and <(command) do.
func handed(path string) bool {
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// ReadFile reads a file that [Open] opens.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Append opens a regular file for reading and writing, and creates it if it is missing. A symbolic link must not lead out of
// the file's folder.
func Append(path string) (*os.File, error) {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Base(path), os.O_RDWR|os.O_CREATE, 0o666)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: at.Err}
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Write writes a file and puts it at path when it is complete and on the disk. Until then, or if write fails or the process is
// killed, an existing file stays. A symbolic link at path is replaced, not followed.
func Write(path string, write func(io.Writer) error) (err error) {
	folder := filepath.Dir(path)
	old, missing := os.Stat(path)
	if missing == nil {
		if err := regular(path, old); err != nil {
			return err
		}
	}
	clean(folder)
	name := filepath.Join(folder, partStart()+strconv.Itoa(os.Getpid())+"-"+rand.Text()+".part")
	defer func() {
		if at := (*fs.PathError)(nil); errors.As(err, &at) && at.Path == name {
			at.Op, at.Path = "write", path
		} else if at, is := err.(*os.LinkError); is {
			err = &fs.PathError{Op: "write", Path: path, Err: at.Err}
		}
	}()
	part, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer os.Remove(name) // unless it has been renamed
	out := bufio.NewWriterSize(part, 1<<16)
	if err = write(out); err == nil {
		err = out.Flush()
	}
	if err == nil && missing == nil {
		err = part.Chmod(old.Mode().Perm())
	}
	if err == nil {
		err = part.Sync()
	}
	if closing := part.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err == nil {
		SyncFolder(folder)
	}
	return err
}

// WriteFile is [Write] of bytes.
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// SyncFolder waits until renames in a folder are on the disk, where the system can do that.
func SyncFolder(folder string) {
	if f, err := os.Open(folder); err == nil {
		_ = f.Sync() // Windows has no such call
		f.Close()
	}
}

// partName matches the names of incomplete files: a checksum of the host, and the process that writes.
var partName = regexp.MustCompile(`^\.milbench-[0-9a-f]{8}-(\d+)-[A-Z2-7]{26}\.part$`)

// partStart is the start of the names of incomplete files of this host.
var partStart = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	h := fnv.New32a()
	h.Write([]byte(host))
	return fmt.Sprintf(".milbench-%08x-", h.Sum32())
})

// cleaned has the folders that this process has cleaned.
var cleaned sync.Map

// clean removes the incomplete files that dead processes of this host have left in a folder, and those of other hosts after
// a day.
func clean(folder string) {
	if _, done := cleaned.LoadOrStore(folder, true); done {
		return
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		of := partName.FindStringSubmatch(e.Name())
		if of == nil || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		pid, _ := strconv.Atoi(of[1])
		if err == nil && (strings.HasPrefix(e.Name(), partStart()) && !alive(pid) || time.Since(info.ModTime()) > 24*time.Hour) {
			os.Remove(filepath.Join(folder, e.Name()))
		}
	}
}

// ErrLocked is wrapped by the error of [Lock] if another process has the lock. Try again when it has ended.
var ErrLocked = errors.New("in use by another run")

// ErrNoLock is wrapped by the error of [Lock] if the file is somebody's, and no lock.
var ErrNoLock = errors.New("the file is there already, and is no lock; move it away")

// ownerText is what a file of a lock begins with.
const ownerText = "process "

// Lock takes the lock that a file stands for until release is called, which removes the file. The file says whose it is, for
// the error of others; some systems do not let them read it. A file that says anything else is left alone ([ErrNoLock]).
func Lock(path string) (release func(), err error) {
	if info, err := os.Lstat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
		if text, err := os.ReadFile(path); err == nil && len(text) > 0 && !strings.HasPrefix(string(text), ownerText) {
			return nil, &fs.PathError{Op: "lock", Path: path, Err: ErrNoLock}
		}
	}
	host, _ := os.Hostname()
	return lock(path, fmt.Sprintf("%s%d on %s", ownerText, os.Getpid(), host))
}
