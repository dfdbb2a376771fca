package dataset

import (
	"context"

	"synpool/internal/fetch"
)

var (
	// ErrNotFetched says that the files of a named set are not in [Dir].
	ErrNotFetched = fetch.ErrNotFetched

	// ErrTemporary marks a failed [Entry.Fetch] that is worth another try later: no network, a full disk, another
	// process that fetches the same file.
	ErrTemporary = fetch.ErrTemporary
)

// State says whether a named set is at hand.
type State = fetch.State

// The states of a named set.
const (
	Embedded  State = "embedded"    // needs no file
	Generated State = "generated"   // is drawn when it is opened
	Fetched   State = fetch.Fetched // every file is there and has the right checksum
	Missing   State = fetch.Missing // a file is not there
	Damaged   State = fetch.Damaged // a file cannot be read or is another than the catalogue's
)

// Verify reads the files of the set and compares their checksums. The error says what is wrong when the set is
// [Missing] (it matches [ErrNotFetched]) or [Damaged], and what to do.
func (e Entry) Verify() (State, error) {
	switch {
	case e.Generated:
		return Generated, nil
	case len(e.Files) == 0:
		return Embedded, nil
	}
	return e.set().Verify()
}

// Fetch downloads the files of the set that [Dir] lacks or holds damaged, resuming what an earlier call left. A file
// gets its name only after its checksum was found right. progress, which may be nil, is told how many of total bytes
// of a file have arrived (total 0: unknown).
func (e Entry) Fetch(ctx context.Context, progress func(file string, done, total int64)) error {
	return e.set().Fetch(ctx, progress)
}

func (e Entry) set() fetch.Set {
	s := fetch.Set{Name: e.Name, Variables: []string{variable}, Command: "milbench data fetch " + e.Name}
	for _, f := range e.Files {
		sums := fetch.Sums{Bytes: f.Bytes, SHA256: f.SHA256, GitBlob: f.GitBlob, InflatedBytes: f.InflatedBytes, InflatedSHA256: f.InflatedSHA256}
		s.Files = append(s.Files, fetch.File{Name: f.Name, URL: f.URL, Sums: sums})
	}
	return s
}
