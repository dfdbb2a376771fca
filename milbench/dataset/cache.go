package dataset

import "synpool/internal/fetch"

// variable is the environment variable with the folder of the sets.
const variable = "MILBENCH_DATA"

// Dir returns the folder for the files of named sets: $MILBENCH_DATA, or else the folder milbench in the user's
// cache.
func Dir() (string, error) { return fetch.Folder(variable) }

// Paths returns the paths of the set's files, in the order of Files. The files exist once they have been fetched.
func (e Entry) Paths() ([]string, error) { return e.set().Paths() }
