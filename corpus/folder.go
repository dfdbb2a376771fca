package corpus

import (
	"fmt"
	"os"
	"path/filepath"
)

// Dir returns the folder that named sets are fetched to and looked for in: $CORPUS_DATA, else $MILBENCH_DATA, else the
// folder milbench in the user's cache.
func Dir() (string, error) {
	for _, name := range []string{"CORPUS_DATA", "MILBENCH_DATA"} {
		if dir := os.Getenv(name); dir != "" {
			return dir, nil
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for text sets, set CORPUS_DATA to one: %w", err)
	}
	return filepath.Join(cache, "milbench"), nil
}

// Paths returns where the files of the set are, or will be once fetched, in the order of Files.
func (e Entry) Paths() ([]string, error) {
	dir, err := Dir()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	paths := make([]string, len(e.Files))
	for i, f := range e.Files {
		paths[i] = filepath.Join(dir, f.Name)
	}
	return paths, nil
}
