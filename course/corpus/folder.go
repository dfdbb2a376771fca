package corpus

import "synpool/internal/fetch"

// variables are the environment variables for the folder of the sets.
var variables = []string{"CORPUS_DATA", "MILBENCH_DATA"}

// Dir returns the folder of the named sets: $CORPUS_DATA, or else $MILBENCH_DATA, or else the folder milbench in the user's
// cache.
func Dir() (string, error) { return fetch.Folder(variables...) }

// Paths returns the paths of the files of the set in the order of Files, whether or not they have been fetched.
func (e Entry) Paths() ([]string, error) { return e.set().Paths() }
