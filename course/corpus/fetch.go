package corpus

import "synpool/internal/fetch"

// ErrNotFetched says that the files of a named set are not in [Dir].
var ErrNotFetched = fetch.ErrNotFetched

// variables are the environment variables for the folder of the sets.
var variables = []string{"CORPUS_DATA", "MILBENCH_DATA"}

// Dir returns the folder of the named sets: $CORPUS_DATA, or else $MILBENCH_DATA, or else the folder milbench in the user's
// cache.
func Dir() (string, error) { return fetch.Folder(variables...) }

// command is the command that fetches a set by name.
const command = "go run synpool/course/corpus/download"

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
