package corpus

import (
	"context"

	"synpool/internal/fetch"
)

// ErrNotFetched says that the files of a named set are not in [Dir].
var ErrNotFetched = fetch.ErrNotFetched

// variables are the environment variables for the folder of the sets.
var variables = []string{"CORPUS_DATA", "MILBENCH_DATA"}

// Dir returns the folder of the named sets: $CORPUS_DATA, or else $MILBENCH_DATA, or else the folder milbench in the user's
// cache.
func Dir() (string, error) { return fetch.Folder(variables...) }

// Paths returns the paths of the files of the set in the order of Files, whether or not they have been fetched.
func (e Entry) Paths() ([]string, error) { return e.set().Paths() }

// command is the command that fetches a set by name.
const command = "go run synpool/course/corpus/download"

// Verify reads the files of the set and compares their checksums. If the set is missing (the error matches
// [ErrNotFetched]) or damaged, the error says what is wrong and what to do.
func (e Entry) Verify() (fetch.State, error) { return e.set().Verify() }

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
