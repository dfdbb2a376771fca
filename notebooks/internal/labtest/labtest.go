// Package labtest finds the installation of notebooks/lab for tests.
package labtest

import (
	"os"
	"path/filepath"
	"testing"
)

// Environment returns the absolute path of the Python environment that notebooks/lab made in the folder notebooks; without
// one the test is skipped.
func Environment(t testing.TB, notebooks string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(notebooks, ".venv"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(path, "share", "jupyter", "kernels", "gonb", "kernel.json")); err != nil {
		t.Skipf("JupyterLab and its Go kernel are not installed: %v; run notebooks/lab --install", err)
	}
	return path
}
