//go:build linux && cgo && !noxla && (amd64 || arm64)

package pjrtcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A store is trimmed when a process first writes to it: entries not used for unusedDays are removed, then the oldest entries
// until at most mostBytes remain.
const (
	unusedDays = 30
	mostBytes  = 2 << 30
)

// ours matches the names of files that a store makes: entries, and entries that are being written. Other files are left
// alone.
var ours = regexp.MustCompile(`^[0-9a-f]{64}\.xla(\.new[0-9]+)?$`)

// store is a folder of executables by key, shared by any number of processes. An entry is a checksum and the executable. It
// is written to a temporary file and then renamed, so an entry is always complete.
type store struct {
	dir    string
	trim   func()      // once
	failed atomic.Bool // set once nothing more is kept
}

// newStore creates the folder, for the user alone, if it is missing. It refuses a folder that others may write to, because
// its contents are executed.
func newStore(dir string) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !ok || owner.Uid != 0 && int(owner.Uid) != os.Geteuid() || info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s is another user's, or others may write to it", dir)
	}
	s := &store{dir: dir}
	s.trim = sync.OnceFunc(func() { s.remove(time.Now().AddDate(0, 0, -unusedDays), mostBytes) })
	probe, err := os.CreateTemp(dir, sumOf()+suffix+".new*")
	if err != nil {
		s.giveUp() // existing entries are still read
		return s, nil
	}
	return s, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// suffix ends the name of an entry's file.
const suffix = ".xla"

func (s *store) path(key string) string { return filepath.Join(s.dir, key+suffix) }

// giveUp makes the store read-only; writable reports whether it is not.
func (s *store) giveUp()        { s.failed.Store(true) }
func (s *store) writable() bool { return s != nil && !s.failed.Load() }

// get returns the executable of a key and marks it as used; nil if there is none, or if it is damaged.
func (s *store) get(key string) []byte {
	entry, err := os.ReadFile(s.path(key))
	if err != nil {
		return nil
	}
	if len(entry) > sha256.Size {
		if sum := sha256.Sum256(entry[sha256.Size:]); bytes.Equal(sum[:], entry[:sha256.Size]) {
			now := time.Now()
			_ = os.Chtimes(s.path(key), now, now)
			return entry[sha256.Size:]
		}
	}
	s.drop(key)
	return nil
}

// put keeps an executable. If that fails, the store is unchanged and keeps nothing more.
func (s *store) put(key string, executable []byte) {
	s.trim()
	if err := s.write(key, executable); err != nil {
		s.giveUp()
	}
}

func (s *store) write(key string, executable []byte) error {
	f, err := os.CreateTemp(s.dir, key+suffix+".new*")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(executable)
	_, err = f.Write(sum[:])
	if err == nil {
		_, err = f.Write(executable)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path(key))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// drop removes an unusable entry.
func (s *store) drop(key string) { os.Remove(s.path(key)) }

// remove drops entries last used before the given time, and files left half-written before it. Then it drops the least
// recently used entries until at most most bytes remain.
func (s *store) remove(before time.Time, most int64) {
	entries, _ := os.ReadDir(s.dir)
	var kept []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && ours.MatchString(e.Name()) {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for _, info := range kept {
		if total += info.Size(); total > most || info.ModTime().Before(before) {
			os.Remove(filepath.Join(s.dir, info.Name()))
		}
	}
}

// sumOf returns the key of parts, in order.
func sumOf(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256(p) // so that no two lists of parts are the same bytes
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))
}
