package corpus

import (
	"context"

	"synpool/internal/fetch"
)

var (
	// ErrNotFetched says that the files of a named set are not in [Dir].
	ErrNotFetched = fetch.ErrNotFetched

	// ErrTemporary marks a failed [Entry.Fetch] that may succeed later: no network, a full disk, or another process that
	// fetches the same file.
	ErrTemporary = fetch.ErrTemporary
)

// State says whether a named set is available.
type State = fetch.State

// The states of a named set.
const (
	Fetched State = fetch.Fetched // every file exists and has the right checksum
	Missing State = fetch.Missing // a file does not exist
	Damaged State = fetch.Damaged // a file cannot be read or differs from the catalogue's
)

// command is the command that fetches a set by name.
const command = "go run synpool/course/corpus/download"

// Verify reads the files of the set and compares their checksums. If the set is [Missing] (the error matches
// [ErrNotFetched]) or [Damaged], the error says what is wrong and what to do.
func (e Entry) Verify() (State, error) { return e.set().Verify() }

// Fetch downloads the missing and damaged files of the set to [Dir], and resumes an interrupted download. A file gets its
// name only after its checksum was verified. progress, if not nil, is called with the number of bytes received and the total
// of a file.
func (e Entry) Fetch(ctx context.Context, progress func(file string, done, total int64)) error {
	return e.set().Fetch(ctx, progress)
}

func (e Entry) set() fetch.Set {
	s := fetch.Set{Name: e.Name, Variables: variables, Command: command + " " + e.Name}
	for _, f := range e.Files {
		s.Files = append(s.Files, fetch.File{Name: f.Name, URL: f.URL, Sums: fetch.Sums{Bytes: f.Bytes, SHA256: f.SHA256}})
	}
	return s
}

// verified returns the paths of the files of a named set after verifying their checksums.
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
