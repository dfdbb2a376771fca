package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"synpool/internal/disk"
	"synpool/milbench/mil"
)

// FileName is the name of the file with results in a results folder.
const FileName = "results.jsonl"

const lockName = ".lock"

var (
	// ErrLocked is wrapped by the error returned if another run is writing to the folder. Try again when it has ended.
	ErrLocked = disk.ErrLocked
	// ErrDiskFull is wrapped by the error returned if there was no room for a result. The file is still intact. Free some space and run
	// again.
	ErrDiskFull = errors.New("no room left")
	// ErrNoResults is wrapped by the error returned if a folder has no results yet.
	ErrNoResults = errors.New("no results yet")
)

// File is the file of results in a folder, open for appending and locked against other writers.
type File struct {
	lines
	results []Result
	curves  *lines // nil unless curves are recorded
	release func() // unlocks the folder; nil for an attempt
}

// Open opens the file of results in a folder for appending and reads the existing results. It creates the folder if
// needed and locks it. If another writer has locked it, the error is [ErrLocked]. An incomplete last line, left by a
// killed run, is cut off. If a line is invalid, the error names it and nothing is changed.
//
// The folder of an attempt is not locked, because only one process uses it and some cluster file systems cannot lock.
func Open(dir string) (_ *File, err error) {
	var release func()
	if isAttempt(dir) {
		err = makeFolder(dir)
	} else {
		release, err = lockFolder(dir)
	}
	if err != nil {
		return nil, err
	}
	f, path := &File{release: release}, filepath.Join(dir, FileName)
	file, err := openLines(path, "results", func(in io.Reader) (size int64, err error) {
		f.results, size, err = read(in, path)
		return size, err
	})
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.lines = *file
	return f, nil
}

// makeFolder creates a results folder if it is missing.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("results folder: %w", noRoom(err))
	}
	return nil
}

// takeLock is a variable so that tests can replace it.
var takeLock = disk.Lock

// lockFolder creates a results folder if it is missing, and locks it. If another writer has locked it, the error is
// [ErrLocked].
func lockFolder(dir string) (release func(), err error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	release, err = takeLock(filepath.Join(dir, lockName))
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return nil, fmt.Errorf("lock results folder %s: %w; its file system has no locks: give --out on another, say a local disk", dir, err)
	case errors.Is(err, ErrLocked):
		return nil, fmt.Errorf("%s: %w; wait for it to end or use another folder", dir, err)
	case err != nil:
		return nil, fmt.Errorf("lock results folder %s: %w", dir, noRoom(err))
	}
	return release, nil
}

// Finished returns the ids of the fits with results in the file.
func (f *File) Finished() map[string]bool {
	ids := make(map[string]bool)
	for _, r := range f.results {
		ids[r.Fit] = true
	}
	return ids
}

// Results returns the results that were in the file when it was opened and those appended since.
func (f *File) Results() []Result { return f.results }

// Append writes a result as one line and waits until it is on the disk. It writes the whole line or nothing. If the
// disk is full, the error is [ErrDiskFull].
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

// AppendCurve writes a curve as Append writes a result. Call [File.OpenCurves] first.
func (f *File) AppendCurve(c Curve) error {
	line, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("curve of %s: %w", c.Set, err)
	}
	return f.curves.append(line)
}

// Close closes the file and unlocks its folder.
func (f *File) Close() error {
	var err error
	if f.out != nil {
		err = f.out.Close()
	}
	if f.curves != nil {
		err = errors.Join(err, f.curves.out.Close())
	}
	if f.release != nil {
		f.release()
		f.release = nil
	}
	return err
}

// Read returns the results in a folder. It works while a run is writing: an incomplete last line is ignored. If the
// folder has no file of results, the error is [ErrNoResults].
func Read(dir string) ([]Result, error) {
	path := filepath.Join(dir, FileName)
	in, err := disk.Open(path)
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

// read returns the results in complete lines, the first for each fit, and the length of these lines in bytes.
func read(in io.Reader, path string) (results []Result, size int64, err error) {
	seen, known := make(map[string]bool), newTargets()
	size, err = eachRecord(in, path, againCure, func(r Result, _ []byte) error {
		if !seen[r.Fit] {
			seen[r.Fit] = true
			results = append(results, r)
		}
		return known.add(r)
	})
	if err != nil {
		return nil, 0, err
	}
	return results, size, nil
}

// targets has the target of each bag by the checksum of its set and its id, and the fold that tests it by the repeat and
// its id.
type targets struct {
	of    map[string]map[string]mil.Target
	tests map[string]map[string]int
}

func newTargets() targets {
	return targets{make(map[string]map[string]mil.Target), make(map[string]map[string]int)}
}

// add returns an error if a bag of r has another target than before, or if another fold of the repeat tests it, too.
func (t targets) add(r Result) error {
	repeat := fmt.Sprint(r.study(), r.Seed, r.Repeat)
	if t.tests[repeat] == nil {
		t.tests[repeat] = make(map[string]int)
	}
	tests := t.tests[repeat]
	for _, b := range r.Bags {
		if fold, known := tests[b.ID]; known && fold != r.Fold {
			return fmt.Errorf("bag %s of %s is tested in fold %d of repeat %d, and in an earlier result in fold %d", b.ID, r.Set, r.Fold+1, r.Repeat+1, fold+1)
		}
		tests[b.ID] = r.Fold
	}
	return t.agree(r)
}

// agree returns an error if a bag of r has another target than before.
func (t targets) agree(r Result) error {
	if t.of[r.Checksum] == nil {
		t.of[r.Checksum] = make(map[string]mil.Target)
	}
	of := t.of[r.Checksum]
	for _, part := range [][]ScoredBag{r.Bags, r.Validation} {
		for _, b := range part {
			if was, known := of[b.ID]; known && was != b.Target {
				return fmt.Errorf("bag %s of %s has another target than in an earlier result: one of them was changed, or is of other data", b.ID, r.Set)
			}
			of[b.ID] = b.Target
		}
	}
	return nil
}

// noRoom marks err as [ErrDiskFull] if the disk, a quota or the process's file size limit left no room for a write.
// It returns other errors unchanged.
func noRoom(err error) error {
	for _, full := range diskFull {
		if errors.Is(err, full) {
			return fmt.Errorf("%w (%w); make room and run again", ErrDiskFull, err)
		}
	}
	return err
}
