package dataset

import (
	"context"

	"synpool/internal/fetch"
)

var (
	// ErrNotFetched is wrapped by the error returned if the files of a named set are not there ([Entry.Paths]).
	ErrNotFetched = fetch.ErrNotFetched

	// ErrTemporary marks a failed [Entry.Fetch] that may succeed later: no network, a full disk, or another process
	// that is fetching the same file.
	ErrTemporary = fetch.ErrTemporary
)

// State is the availability of a named set.
type State = fetch.State

// The states of a named set.
const (
	Embedded  State = "embedded"    // needs no file
	Generated State = "generated"   // generated on opening
	Fetched   State = fetch.Fetched // every file is present and has the right checksum
	Missing   State = fetch.Missing // a file is missing
	Damaged   State = fetch.Damaged // a file cannot be read or has the wrong checksum
)

// Verify reads the files of the set and compares their checksums. If the set is [Missing] or [Damaged], the error
// says what is wrong and what to do. For a missing set it matches [ErrNotFetched].
func (e Entry) Verify() (State, error) {
	switch {
	case e.Generated:
		return Generated, nil
	case len(e.Files) == 0:
		return Embedded, nil
	}
	return e.set().Verify()
}

// Fetch downloads the files that are missing or damaged ([Entry.Paths]). It resumes an earlier, incomplete download. A file
// gets its name only after its checksum has been verified. Fetch calls progress, if not nil, with the number of bytes
// received and the total number in the file (0 if unknown).
func (e Entry) Fetch(ctx context.Context, progress func(file string, done, total int64)) error {
	return e.set().Fetch(ctx, progress)
}

func (e Entry) set() fetch.Set {
	s := fetch.Set{Name: e.Name, Variables: []string{variable}, Command: "milbench data fetch " + e.Name}
	for _, f := range e.Files {
		sums := fetch.Sums{Bytes: f.Bytes, SHA256: f.SHA256, InflatedBytes: f.InflatedBytes, InflatedSHA256: f.InflatedSHA256}
		s.Files = append(s.Files, fetch.File{Name: f.Name, URL: f.URL, Sums: sums})
	}
	return s
}
