package corpus

import "synpool/internal/fetch"

// variables may name the folder of the sets.
var variables = []string{"CORPUS_DATA", "MILBENCH_DATA"}

// Dir returns the folder that named sets are fetched to and looked for in: $CORPUS_DATA, else $MILBENCH_DATA, else the
// folder milbench in the user's cache.
func Dir() (string, error) { return fetch.Folder(variables...) }

// Paths returns where the files of the set are, or will be once fetched, in the order of Files.
func (e Entry) Paths() ([]string, error) { return e.set().Paths() }
