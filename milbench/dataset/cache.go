package dataset

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir returns the folder that named sets are fetched to and looked for in: $MILBENCH_DATA, else the folder milbench
// in the user's cache.
func Dir() (string, error) {
	if dir := os.Getenv("MILBENCH_DATA"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for data sets, set MILBENCH_DATA to one: %w", err)
	}
	return filepath.Join(cache, "milbench"), nil
}

// Paths returns where the files of the set are, or will be once fetched, in the order of Files.
func (e Entry) Paths() ([]string, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(e.Files))
	for i, f := range e.Files {
		paths[i] = filepath.Join(dir, f.Name)
	}
	return paths, nil
}
