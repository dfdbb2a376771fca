package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// FileName is the name of the file of results in its folder.
const FileName = "results.jsonl"

const lockName = ".lock"

var (
	// ErrLocked says that another study is writing to the folder; try again when it has ended.
	ErrLocked = errors.New("in use by another run")
	// ErrDiskFull says that a result found no room; what is in the file is whole. Make room and run again.
	ErrDiskFull = errors.New("no room left")
	// ErrNoResults says that a folder holds no results yet.
	ErrNoResults = errors.New("no results yet")
)

// File is the file of results of a folder, open for appending and locked against other writers.
type File struct {
	lines
	results []Result
	curves  *lines       // nil unless curves are kept
	lock    *flock.Flock // nil of an attempt
}

// Open makes the folder where it is missing, locks it, reads the results that are there and opens their file for
// appending. A torn last line, left by a killed run, is cut off. Another writer in the folder is [ErrLocked]; a line
// that cannot be read is an error that names it, and nothing is changed. The folder of an attempt, which one process alone
// knows of, is not locked: not all file systems of clusters can.
func Open(dir string) (_ *File, err error) {
	lock := (*flock.Flock)(nil)
	if isAttempt(dir) {
		err = makeFolder(dir)
	} else {
		lock, err = lockFolder(dir)
	}
	if err != nil {
		return nil, err
	}
	f := &File{lines: lines{path: filepath.Join(dir, FileName)}, lock: lock}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	out, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("open results: %w", noRoom(err))
	}
	f.out = out
	if f.results, f.size, err = read(out, f.path); err != nil {
		return nil, err
	}
	if err := f.rewind(); err != nil {
		return nil, err
	}
	return f, nil
}

// makeFolder makes a results folder where it is missing.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("results folder: %w", noRoom(err))
	}
	return nil
}

// tryLock is replaced by tests.
var tryLock = (*flock.Flock).TryLock

// lockFolder makes a results folder where it is missing and locks it. Another writer in it is [ErrLocked].
func lockFolder(dir string) (*flock.Flock, error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	locked, err := tryLock(lock)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("lock results folder %s: %w; its file system has no locks: give --out on another, say a local disk", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock results folder %s: %w", dir, noRoom(err))
	}
	if !locked {
		owner, _ := os.ReadFile(lock.Path())
		if who := strings.TrimSpace(string(owner)); who != "" {
			return nil, fmt.Errorf("%s: %w (%s); wait for it to end or use another folder", dir, ErrLocked, who)
		}
		return nil, fmt.Errorf("%s: %w; wait for it to end or use another folder", dir, ErrLocked)
	}
	// Who holds the lock is a courtesy: where the system allows no second handle to write it, the lock holds without.
	host, _ := os.Hostname()
	_ = os.WriteFile(lock.Path(), fmt.Appendf(nil, "process %d on %s\n", os.Getpid(), host), 0o666)
	return lock, nil
}

// finished returns the ids of the fits that have results.
func finished(results []Result) map[string]bool {
	ids := make(map[string]bool)
	for _, r := range results {
		ids[r.Fit] = true
	}
	return ids
}

// Finished returns the ids of the fits whose results are in the file.
func (f *File) Finished() map[string]bool { return finished(f.results) }

// Results returns the results that were in the file when it was opened and those appended since.
func (f *File) Results() []Result { return f.results }

// Append writes a result as one line and waits until it is on the disk. Either the whole line is in the file or none
// of it; a full disk is [ErrDiskFull].
func (f *File) Append(r Result) error {
	if err := r.Validate(); err != nil {
		return fmt.Errorf("result of %s: %w", r.Set, err)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("result of %s: %w", r.Set, err)
	}
	if err := f.append(line); err != nil {
		return err
	}
	f.results = append(f.results, r)
	return nil
}

// AppendCurve writes a curve, as Append does a result. [File.OpenCurves] comes first.
func (f *File) AppendCurve(c Curve) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("curve of %s: %w", c.Set, err)
	}
	return f.curves.append(line)
}

// Close closes the file and unlocks its folder, if it is locked.
func (f *File) Close() error {
	var err error
	if f.out != nil {
		err = f.out.Close()
	}
	if f.curves != nil {
		err = errors.Join(err, f.curves.out.Close())
	}
	if f.lock != nil {
		err = errors.Join(err, f.lock.Close())
	}
	return err
}

// Read returns the results of a folder, also while a run is writing to it: a torn last line is left out. A folder
// without a file of results is [ErrNoResults].
func Read(dir string) ([]Result, error) {
	path := filepath.Join(dir, FileName)
	in, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(dir, AttemptsName)); err == nil {
			return nil, fmt.Errorf("%s: %w; milbench merge %[1]s --out %[1]s puts those of its shards together", dir, ErrNoResults)
		}
		return nil, fmt.Errorf("%s: %w; is it the folder that was given to --out?", dir, ErrNoResults)
	}
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	defer in.Close()
	results, _, err := read(in, path)
	return results, err
}

// read returns the results of whole lines, the first of equal fits, and the length of these lines in bytes.
func read(in io.Reader, path string) (results []Result, size int64, err error) {
	seen := make(map[string]bool)
	size, err = eachRecord(in, path, "remove it, and its fit is run again", func(r Result, _ []byte) error {
		if !seen[r.Fit] {
			seen[r.Fit] = true
			results = append(results, r)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	return results, size, nil
}

// noRoom marks err as [ErrDiskFull] if there was no room for a write: the disk, a quota or the process's file size
// limit. Other errors stay as they are.
func noRoom(err error) error {
	for _, full := range diskFull {
		if errors.Is(err, full) {
			return fmt.Errorf("%w (%w); make room and run again", ErrDiskFull, err)
		}
	}
	return err
}
