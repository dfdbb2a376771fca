package dataset

import "synpool/internal/fetch"

// variable may name the folder of the sets.
const variable = "MILBENCH_DATA"

// Dir returns the folder that named sets are fetched to and looked for in: $MILBENCH_DATA, else the folder milbench
// in the user's cache.
func Dir() (string, error) { return fetch.Folder(variable) }

// Paths returns where the files of the set are, or will be once fetched, in the order of Files.
func (e Entry) Paths() ([]string, error) { return e.set().Paths() }
