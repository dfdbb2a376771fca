// Package fetched provides tests with fetched data, and skips tests whose data is missing.
package fetched

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/internal/fetch"
)

// File returns the path of a file in the folder MILBENCH_DATA. If it is missing, File skips the test and says how to fetch
// it: with the given sets, or with all.
func File(t testing.TB, name string, sets ...string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("MILBENCH_DATA"), name)
	if _, err := os.Stat(path); err != nil || os.Getenv("MILBENCH_DATA") == "" {
		command := strings.Join(append([]string{"milbench data fetch"}, sets...), " ")
		t.Skipf("no %s: run `%s` and set MILBENCH_DATA to the folder it fills", name, command)
	}
	return path
}

// Load returns the set that load reads, or skips the test if its files were not fetched.
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
