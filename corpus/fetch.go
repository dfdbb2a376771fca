package corpus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"synpool/internal/fetch"
)

var (
	// ErrNotFetched says that the files of a named set are not in [Dir].
	ErrNotFetched = errors.New("not fetched yet")

	// ErrTemporary marks a failed [Entry.Fetch] that is worth another try later: no network, a full disk, another
	// process that fetches the same file.
	ErrTemporary = fetch.ErrTemporary
)

// State says whether a named set is at hand.
type State string

// The states of a named set.
const (
	Fetched State = "fetched" // every file is there and has the right checksum
	Missing State = "missing" // a file is not there
	Damaged State = "damaged" // a file cannot be read or is another than the catalogue's
)

// command gets a set by name.
const command = "go run synpool/corpus/download"

// Verify reads the files of the set and compares their checksums. The error says what is wrong when the set is
// [Missing] (it matches [ErrNotFetched]) or [Damaged], and what to do.
func (e Entry) Verify() (State, error) {
	paths, err := e.Paths()
	if err != nil {
		return Missing, err
	}
	for i, f := range e.Files {
		err := f.sums().Check(paths[i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Missing, fmt.Errorf("%s: %w, %s is not there; run `%s %s`", e.Name, ErrNotFetched, paths[i], command, e.Name)
		case errors.Is(err, fetch.ErrSum):
			return Damaged, fmt.Errorf("%s: %s is not the file it should be; run `%s %s` to get it anew: %w", e.Name, paths[i], command, e.Name, err)
		case err != nil:
			return Damaged, fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return Fetched, nil
}

// Fetch downloads the files of the set that [Dir] lacks or holds damaged, resuming what an earlier call left. A file
// gets its name only after its checksum was found right. progress, which may be nil, is told how many of total bytes
// of a file have arrived.
func (e Entry) Fetch(ctx context.Context, progress func(file string, done, total int64)) error {
	paths, err := e.Paths()
	if err != nil {
		return err
	}
	for i, f := range e.Files {
		err := fetch.Default().Get(ctx, f.URL, paths[i], f.sums(), progress)
		if errors.Is(err, fetch.ErrFolder) {
			return fmt.Errorf("%s: set CORPUS_DATA to a folder that can be written: %w", e.Name, err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return nil
}

func (f File) sums() fetch.Sums { return fetch.Sums{Bytes: f.Bytes, SHA256: f.SHA256} }

// verified returns the paths of the files of a named set after their checksums were found right.
func verified(name string) ([]string, error) {
	e, err := Find(name)
	if err != nil {
		return nil, err
	}
	if _, err := e.Verify(); err != nil {
		return nil, err
	}
	return e.Paths()
}
