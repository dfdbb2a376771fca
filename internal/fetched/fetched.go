// Package fetched gives tests what is fetched, and skips them where it is not there.
package fetched

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/internal/fetch"
)

// File returns the path of a file in the folder that MILBENCH_DATA names, or skips and says how to fetch it: by the sets that it is
// of, or with all others.
func File(t testing.TB, name string, sets ...string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("MILBENCH_DATA"), name)
	if _, err := os.Stat(path); err != nil || os.Getenv("MILBENCH_DATA") == "" {
		command := strings.Join(append([]string{"milbench data fetch"}, sets...), " ")
		t.Skipf("no %s: run `%s` and set MILBENCH_DATA to the folder it fills", name, command)
	}
	return path
}

// Load returns a set as load reads it, or skips where its files were not fetched.
func Load[T any](t testing.TB, load func() (T, error)) T {
	t.Helper()
	set, err := load()
	if errors.Is(err, fetch.ErrNotFetched) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return set
}
